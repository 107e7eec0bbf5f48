/** Codes of the problems between a page and a server, for programs. */
export type FindingCode =
  | "unreachable"
  | "mixed_content"
  | "content_security_policy"
  | "local_network"
  | "allow_origin"
  | "allow_headers"
  | "allow_methods"
  | "allow_credentials"
  | "expose_session"
  | "no_endpoint"
  | "not_mcp"
  | "unauthorized"
  | "refused"
  | "buffered";

/** Servers and proxies for which there are lines to add. */
export type Stack = "express" | "fastapi" | "go" | "nginx" | "cloudflare";

/** One problem that was found. */
export interface DiagnosisFinding {
  code: FindingCode;
  /** The problem, in a sentence. */
  message: string;
  /** The remedy, in a sentence. */
  hint: string;
  /** The lines to add, by stack, where lines help. */
  lines?: Readonly<Record<Stack, string>>;
}

/** The header fields that browsers ask about, of all revisions: what a server has to allow. */
export const ALLOWED: readonly string[] = [
  "content-type", "authorization", "mcp-protocol-version", "mcp-session-id", "last-event-id", "mcp-method",
  "mcp-name",
];

/** The page's side of the CORS rules: its origin, its header fields, and whether it sends credentials. */
export interface Cors {
  origin: string;
  headers: readonly string[];
  credentials: boolean;
}

/** Header fields of an answer that a page has to read: its session, where to sign in, when to come back. */
const EXPOSED = ["Mcp-Session-Id", "WWW-Authenticate", "Retry-After"];

/** The lines that let a page of that origin in, by stack. */
export function corsLines({ origin, headers, credentials }: Cors): Record<Stack, string> {
  const names = headers.join(", ");
  const quoted = headers.map((name) => JSON.stringify(name)).join(", ");
  const exposed = EXPOSED.join(", ");
  const quotedExposed = EXPOSED.map((name) => JSON.stringify(name)).join(", ");
  const cloudflare = [
    `headers.set("Access-Control-Allow-Origin", ${JSON.stringify(origin)});`,
    `headers.set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");`,
    `headers.set("Access-Control-Allow-Headers", ${JSON.stringify(names)});`,
    `headers.set("Access-Control-Expose-Headers", "${exposed}");`,
    ...(credentials ? [`headers.set("Access-Control-Allow-Credentials", "true");`] : []),
  ];
  return {
    express: `app.use(cors({ origin: ${JSON.stringify(origin)}, methods: ["GET", "POST", "DELETE"], ` +
      `allowedHeaders: [${quoted}], exposedHeaders: ` +
      `[${quotedExposed}]${credentials ? ", credentials: true" : ""} }));`,
    fastapi: `app = CORSMiddleware(app, allow_origins=[${JSON.stringify(origin)}], allow_methods=["GET", ` +
      `"POST", "DELETE"], allow_headers=[${quoted}], ` +
      `expose_headers=[${quotedExposed}]${credentials ? ", allow_credentials=True" : ""})`,
    go: `cors.New(cors.Options{AllowedOrigins: []string{${JSON.stringify(origin)}}, AllowedMethods: ` +
      `[]string{"GET", "POST", "DELETE"}, AllowedHeaders: []string{${quoted}}, ExposedHeaders: ` +
      `[]string{${quotedExposed}}${credentials ? ", AllowCredentials: true" : ""}}).Handler(mux) // ` +
      "github.com/rs/cors",
    nginx: [
      `add_header Access-Control-Allow-Origin ${JSON.stringify(origin)} always;`,
      `add_header Access-Control-Allow-Methods "GET, POST, DELETE, OPTIONS" always;`,
      `add_header Access-Control-Allow-Headers ${JSON.stringify(names)} always;`,
      `add_header Access-Control-Expose-Headers "${exposed}" always;`,
      ...(credentials ? [`add_header Access-Control-Allow-Credentials "true" always;`] : []),
      `if ($request_method = OPTIONS) { return 204; }`,
    ].join("\n"),
    cloudflare: cloudflare.join("\n"),
  };
}

/** The lines that have a stream pass piece by piece, by stack. */
export const UNBUFFERED: Readonly<Record<Stack, string>> = {
  express: `res.setHeader("X-Accel-Buffering", "no"); // and no compression() for text/event-stream`,
  fastapi: `StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"}) ` +
    "# and no GZipMiddleware",
  go: `w.Header().Set("X-Accel-Buffering", "no"); http.NewResponseController(w).Flush() // after each event`,
  nginx: `proxy_buffering off; proxy_cache off; gzip off; proxy_read_timeout 1h;`,
  cloudflare: "return new Response(upstream.body, { headers: upstream.headers }); // never await " +
    "upstream.text()",
};
