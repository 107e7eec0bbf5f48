// Written by holdfast-tool-types: run it again where the server's tools change.

type ExampleTools_files_treeOutput_node = {
  name: string;
  children?: ExampleTools_files_treeOutput_node[];
};

export interface ExampleTools {
  "files/tree": { input: {
    path?: string;
  }; output: ExampleTools_files_treeOutput_node };
  get_time: { input: { [name: string]: unknown }; output: unknown };
  /**
   * Render a scene
   *
   * Takes minutes.
   * May be run again.
   */
  render: { input: {
    /** Which one */
    scene: number;
    quality?: "draft" | "final";
    size?: [(number)?, (number)?];
    "camera-angle"?: number | null;
  }; output: {
    url: string;
    tags?: string[];
  } };
}
