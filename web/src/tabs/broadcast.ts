/** Whether there is a BroadcastChannel: with site data blocked Firefox has the class, and lets nobody make one. */
export function hasBroadcast(): boolean {
  try {
    new BroadcastChannel("holdfast.exists").close();
    return true;
  } catch {
    return false;
  }
}
