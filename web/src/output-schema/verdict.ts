/**
 * The verdict of a validation: the value fits, or the place where it does not, or the reason why that is
 * unknown. Texts hold nothing of the value.
 */
export type Conformity =
  | { kind: "valid" }
  | {
      kind: "invalid";
      /** JSON Pointer (RFC 6901) to what does not fit, from the value's root. */
      at: string;
      /** The keyword of the schema that it breaks. */
      keyword: string;
      /** JSON Pointer to that keyword, by the way that led to it through the schema. */
      rule: string;
    }
  | { kind: "unchecked"; why: string };

/** The chunk's exports (validate.ts). */
export interface Validator {
  readonly version: string;
  validate(schema: unknown, value: unknown): Conformity;
}
