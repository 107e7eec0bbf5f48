/** The hint for a missing file of the package; `option` names the option that sets its address. */
export function whereServed(file: string, option: string): string {
  return `Serve the package's ${file} there, or say where it is by the option ${option}. Or load the page ` +
    "again: its server may have another build by now. See docs/bundlers.md.";
}
