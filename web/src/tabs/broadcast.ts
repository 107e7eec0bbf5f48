/**
 * True if there is a BroadcastChannel. With site data blocked, Firefox has the class, but its constructor
 * throws.
 */
export function hasBroadcast(): boolean {
  try {
    new BroadcastChannel("holdfast.exists").close();
    return true;
  } catch {
    return false;
  }
}
