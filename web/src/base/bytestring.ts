// Byte strings: one character per byte, which is how fetch takes header values.

/** Bytes as a byte string, which is how fetch takes header values. */
export function byteString(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Text as a byte string of its UTF-8 form. */
export function utf8ByteString(text: string): string {
  return byteString(new TextEncoder().encode(text));
}
