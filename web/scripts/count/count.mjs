// Prints how much TypeScript the product has, room by room, in statements and members. Comments, blank lines and line
// breaks change no figure. The Go program beside it prints the same for Go.
//
// A statement is each statement but a block, each declared variable, each branch of a switch, and the body of an arrow
// function that is an expression. A member is each member of a class, an interface, a type or an enum. Generated code
// is counted apart: what writes it is what people maintain.
import { pathToFileURL } from "node:url";
import * as ast from "typescript/unstable/ast";
import { API } from "typescript/unstable/sync";

const PROJECTS = ["tsconfig.json", "tsconfig.ai.json"];
const SOURCE = /(?:^|\/)web\/(src|packages)\/(?:([^/]+(?:\/[^/]+)*)\/)?[^/]+\.ts$/;

/** How many statements and members a parsed file has. */
function count(file) {
  const found = { files: 1, statements: 0, members: 0 };
  const visit = (node) => {
    if (isStatement(node)) found.statements++;
    if (hasMembers(node)) found.members += node.members.length;
    node.forEachChild(visit);
  };
  file.forEachChild(visit);
  return found;
}

function isStatement(node) {
  if (ast.isBlock(node) || ast.isEmptyStatement(node) || ast.isVariableStatement(node)) return false; // what is in them counts
  if (ast.isVariableDeclaration(node) || ast.isCaseClause(node) || ast.isDefaultClause(node)) return true;
  return ast.isStatement(node) || (ast.isArrowFunction(node) && !ast.isBlock(node.body));
}

function hasMembers(node) {
  return ast.isClassLikeDeclaration(node) || ast.isInterfaceDeclaration(node) || ast.isTypeLiteralNode(node) || ast.isEnumDeclaration(node);
}

/**
 * What each room has, by its name; the entries of the builds are in none, and go by the name of their folder. `where` are
 * options of the parser, which tests give another file system.
 */
export function rooms(where = { cwd: process.cwd() }, projects = PROJECTS) {
  const sizes = new Map();
  const seen = new Set();
  const api = new API(where);
  try {
    for (const { program } of api.updateSnapshot({ openProjects: projects }).getProjects()) {
      for (const path of program.getSourceFileNames()) {
        const [, root, room] = SOURCE.exec(path) ?? [];
        if (!root || path.endsWith(".d.ts") || seen.has(path)) continue;
        seen.add(path);
        const file = program.getSourceFile(path);
        const name = file.text.startsWith("// Code generated ") ? "generated" : `${root}${room ? `/${room}` : ""}`;
        add(sizes, name, count(file));
      }
    }
  } finally {
    api.close();
  }
  return sizes;
}

function add(sizes, name, { files, statements, members }) {
  const sum = sizes.get(name) ?? { files: 0, statements: 0, members: 0 };
  sizes.set(name, { files: sum.files + files, statements: sum.statements + statements, members: sum.members + members });
}

function print(sizes) {
  const row = (name, ...cells) => console.log(name.padEnd(22), ...cells.map((cell, i) => String(cell).padStart([6, 11, 8, 8][i])));
  const printed = (name, { files, statements, members }) => row(name, files, statements, members, statements + members);
  row("TypeScript", "files", "statements", "members", "both");
  for (const [name, size] of [...sizes].sort(([a], [b]) => (a < b ? -1 : 1))) {
    printed(name, size);
    if (name !== "all of it") add(sizes, "all of it", size);
  }
  printed("all of it", sizes.get("all of it"));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) print(rooms());
