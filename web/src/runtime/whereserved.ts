/**
 * What a person does where a file of the package is not where it is looked for; `option` says where it is.
 */
export function whereServed(file: string, option: string): string {
  return `Serve the package's ${file} there, or say where it is by the option ${option}. Or load the page ` +
    "again: its server may have another build by now. See docs/bundlers.md.";
}
