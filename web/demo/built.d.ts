/** What the build has put beside the demo: it runs by itself and exports nothing. */
declare module "*/holdfast-worker.mjs";
