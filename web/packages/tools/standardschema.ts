// Standard Schema, version 1 (https://standardschema.dev), as far as it is used here: what zod, Valibot,
// ArkType and others give. It is described by its members, as its specification suggests, so that nothing is
// imported for it.

/** A schema of any library that speaks Standard Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    /** The library. */
    readonly vendor: string;
    /** Looks at a value; some libraries give a promise. */
    readonly validate: (value: unknown) => SchemaVerdict<Output> | Promise<SchemaVerdict<Output>>;
    /** For types alone. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** The verdict of a schema on a value. With `issues`, the value does not fit. */
export interface SchemaVerdict<Output> {
  /** The value, as the schema has it: with defaults, converted. */
  readonly value?: Output;
  readonly issues?: readonly SchemaIssue[] | undefined;
}

/** One reason why a value does not fit. */
export interface SchemaIssue {
  readonly message: string;
  /** Where, from the outside in. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** The names along the way to what does not fit. */
export function pathOf({ path = [] }: SchemaIssue): string[] {
  return path.map((step) => String(typeof step === "object" ? step.key : step));
}
