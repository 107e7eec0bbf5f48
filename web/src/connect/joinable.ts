/**
 * The clients of this page that another `connect` of the same URL, user and options
 * comes to, by what those are. What is taken out goes on, and nobody comes to it.
 */
export const joinable: Map<string, object> = new Map();
