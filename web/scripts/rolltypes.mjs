// Rolls the declarations up that tsc has emitted, one file for each entry of package.json: what an entry exports, and
// what that is made of. Of what holdfast, holdfast/agent and the stores export another entry has no copy:
// it imports that, so that an app has each class once. Members that are `private` are left out.
//
//	node web/scripts/rolltypes.mjs web/build/types web/dist/types
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const [from, to] = process.argv.slice(2);
const { exports } = JSON.parse(readFileSync("package.json", "utf8"));

/** Where tsc has put the declarations of each entry. */
const ENTRIES = {
  index: "src/index",
  agent: "src/agentmodule",
  global: "packages/global/globalmodule",
  transport: "src/transport/transportentry",
  react: "packages/react/react",
  store: "packages/observe/stores",
  "agent-store": "packages/observe/agentstores",
  "agent-react": "packages/react/agentreact",
  tools: "packages/tools/toolsmodule",
  trace: "packages/trace/tracemodule",
  testing: "packages/testing/testingmodule",
  diagnose: "packages/doctor/diagnosemodule",
  recorder: "src/recorder/recorderentry",
  hub: "packages/hub/hubmodule",
  ai: "packages/ai/aimodule",
};
/** What others import, by the name that they import it by: what two of them export is of the first. */
const PUBLISHED = {
  holdfast: "index",
  "holdfast/agent": "agent",
  "holdfast/store": "store",
  "holdfast/agent/store": "agent-store",
};

const WORDS = /\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_$][\w$]*/g;
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:class|interface|type|const|let|var|function|enum) ([\w$]+)/;

const files = new Map();

/** A file of tsc's: what it declares, by name, what it imports, and what it exports. */
function read(path) {
  const known = files.get(path);
  if (known) return known;
  const text = readFileSync(`${path}.d.ts`, "utf8");
  const file = { path, declared: new Map(), names: new Map(), exported: [], head: "", global: [], libraries: text.match(/^\/\/\/ .*\n/gm) ?? [] };
  files.set(path, file);
  for (const { comment, code } of statements(text)) {
    const [, isType, names, module] = /^(?:import|export) (type )?(?:\{([^]*?)\}|\*)(?: from "([^"]+)")?;/.exec(code) ?? [];
    const within = module?.startsWith(".") ? join(dirname(path), module.replace(/\.js$/, "")) : module;
    const listed = (names ?? "").split(",").map((name) => name.trim()).filter(Boolean).map((name) => {
      const [, type, own, as = own] = /^(type )?([\w$]+)(?: as ([\w$]+))?$/.exec(name);
      return { own, as, isType: Boolean(isType ?? type), module: within };
    });
    if (comment.includes("@module")) file.head = comment.slice(0, comment.indexOf("*/") + 3);
    if (code.startsWith("declare global")) file.global.push(code);
    else if (code.startsWith("import")) for (const { own, as, module } of listed) file.names.set(as, { own, module });
    else if (code.startsWith("export *")) file.exported.push({ all: true, module: within });
    else if (names !== undefined) file.exported.push(...listed);
    else {
      const [, name] = DECLARED.exec(code) ?? [];
      if (!name) throw new Error(`${path}: what is this? ${code}`);
      if (code.startsWith("export ")) file.exported.push({ own: name, as: name, isType: /^export (declare )?(interface|type)/.test(code) });
      const text = comment.slice(file.head && comment.startsWith(file.head) ? file.head.length : 0) + withoutPrivate(code.replace(/^export /, "").replace(/^(?=(abstract )?(class|const|let|var|function|enum) )/, "declare "));
      file.declared.set(name, [...(file.declared.get(name) ?? []), text]);
    }
  }
  return file;
}

/** What stands at the margin, each with the comments before it. */
function statements(text) {
  const starts = [...text.matchAll(/((?:^\/\*(?:(?!\*\/)[^])*\*\/\n)*)^(?:export|import|declare|abstract|class|interface|type|const|let|var|function|enum)\b/gm)];
  return starts.map(({ index, 1: comment }, i) => ({ comment, code: text.slice(index + comment.length, starts[i + 1]?.index) }));
}

/** A class that nobody else can make up stays one. */
function withoutPrivate(code) {
  if (!/^ {4}private (?!constructor)/m.test(code)) return code;
  const without = code.replaceAll(/(?:^ {4}\/\*\*(?:(?!\*\/)[^])*?\*\/\n)?^ {4}private (?!constructor)[^\n]*;\n/gm, "");
  return without.includes("#private;") ? without : without.replace("{\n", "{\n    #private;\n");
}

/** The declaration that a file means by a name: of a file of ours, or of a module of others. */
function meant(file, name) {
  if (file.declared.has(name)) return { file, name };
  const imported = file.names.get(name);
  if (!imported) return undefined;
  return exportedBy(imported.module, imported.own);
}

function exportedAs(file, name) {
  for (const { all, own, as, module } of file.exported) {
    if (!all && as !== name) continue;
    if (module === undefined) return meant(file, own);
    const found = exportedBy(module, all ? name : own);
    if (found) return found;
  }
  return undefined;
}

/** What a module exports by a name: a file of ours, or somebody else's. */
function exportedBy(module, name) {
  const file = fileOf(module);
  return file ? exportedAs(file, name) : { module, name };
}

/** The file of ours that a module is; undefined for others. */
function fileOf(module) {
  if (PUBLISHED[module]) return read(join(from, ENTRIES[PUBLISHED[module]]));
  return module.startsWith(from) ? read(module) : undefined;
}

/** What an entry exports: each name, and what it means. */
function exportsOf(file) {
  return file.exported.flatMap(({ all, own, as, isType, module }) => {
    if (all) return exportsOf(fileOf(module));
    const of = module === undefined ? meant(file, own) : exportedBy(module, own);
    if (!of) throw new Error(`${file.path}: nothing is ${own}`);
    return [{ as, isType, of }];
  });
}

const keyOf = ({ file, module, name }) => `${file?.path ?? module} ${name}`;
/** Who exports a declaration: the module that is imported for it, and what it is called there. */
const published = new Map();
for (const module of Object.keys(PUBLISHED)) {
  const file = fileOf(module);
  for (const { as, of } of exportsOf(file)) if (!published.has(keyOf(of))) published.set(keyOf(of), { module, as, file });
}

/** Where an entry has a declaration from that it has no copy of; undefined for its own. */
function origin(of, file) {
  if (of.module) return { module: of.module, as: of.name };
  const by = published.get(keyOf(of));
  return by?.file === file ? undefined : by;
}

/** Rolls one entry up. */
function roll(file) {
  if (file.exported.every(({ module }) => PUBLISHED[module])) {
    const passedOn = file.exported.map(({ all, own, module }) => `export ${all ? "*" : `{ ${own} }`} from "${module}";\n`);
    return `${file.head}${file.global.join("")}${passedOn.join("")}`;
  }
  const listed = exportsOf(file);
  const own = listed.filter(({ of }) => origin(of, file) === undefined);
  const names = new Map(own.map(({ as, of }) => [keyOf(of), as]));
  const taken = new Set(names.values());
  const declared = new Set();
  const imported = new Map(); // names, by module
  const libraries = new Set(); // that its declarations need
  const bodies = [];
  /** What the entry calls it, which it has from here on. */
  const name = (of) => {
    const key = keyOf(of);
    let free = names.get(key);
    if (free === undefined) {
      for (let n = 1, wanted = (free = of.name); taken.has(free); n++) free = `${wanted}_${n}`;
      taken.add(free);
      names.set(key, free);
    }
    if (declared.has(key)) return free;
    declared.add(key);
    const by = origin(of, file);
    if (by) imported.set(by.module, [...(imported.get(by.module) ?? []), as(by.as, free)]);
    else {
      for (const library of of.file.libraries) libraries.add(library);
      const at = bodies.push("") - 1;
      bodies[at] = of.file.declared.get(of.name).map((text) => renamed(text, of)).join("");
    }
    return free;
  };
  const renamed = (text, of) =>
    text.replaceAll(WORDS, (word, at) => {
      if (/^["'/]/.test(word) || isMember(text, at, word)) return word;
      const other = word === of.name ? of : meant(of.file, word);
      return other ? name(other) : word;
    });
  for (const { of } of own) name(of);
  const lines = (all) => all.map(({ as: to, isType, of }) => `  ${isType ? "type " : ""}${as(origin(of, file)?.as ?? names.get(keyOf(of)), to)},\n`).join("");
  const again = [...new Set(listed.map(({ of }) => origin(of, file)?.module).filter(Boolean))].map((module) => `export {\n${lines(listed.filter(({ of }) => origin(of, file)?.module === module))}} from "${module}";\n`);
  const imports = [...imported].map(([module, all]) => `import type { ${all.join(", ")} } from "${module}";\n`);
  return `${[...libraries].join("")}${file.head}${imports.join("")}${bodies.join("")}export {\n${lines(own)}};\n${again.join("")}`;
}

const as = (own, to) => (own === to ? own : `${own} as ${to}`);

/** Whether a word is the name of a member, and means no declaration. */
function isMember(text, at, word) {
  if (text[at - 1] === ".") return true;
  const before = text.slice(text.lastIndexOf("\n", at) + 1, at);
  return /^\s+(?:(?:readonly|static|get|set|abstract|protected) )*$/.test(before) && /^(?:\??[:(]|<)/.test(text.slice(at + word.length));
}

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const [name, path] of Object.entries(ENTRIES)) {
  const file = read(join(from, path));
  writeFileSync(`${to}/${name}.d.ts`, roll(file));
}
for (const { types } of Object.values(exports)) {
  if (types && !existsSync(types)) throw new Error(`package.json names ${basename(types)}, which is no entry`);
}
