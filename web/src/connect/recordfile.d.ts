// The recorder's file, as the import of it names it: a file of its own build (recorder/hostrecorder.ts).
declare module "*/holdfast-record.mjs" {
  export const version: import("./recording.js").RecorderFile["version"];
  export const record: import("./recording.js").RecorderFile["record"];
}
