declare const HOLDFAST_VERSION: string;
declare const HOLDFAST_BUILD: string;

/** The build of both sides: a page and a host of different builds do not speak to each other. */
export const BUILD: string = `${HOLDFAST_VERSION}-${HOLDFAST_BUILD}`;
