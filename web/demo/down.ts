// What the first page says to the service worker that plays its server.

/** The type of the message that takes the network away. */
export const DOWN = "holdfast-demo.down";

/** Takes the network of the played server away, for a while. */
export interface Down {
  type: typeof DOWN;
  /** How long, in ms. */
  ms: number;
}
