import { refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import { formatPath } from "./validation-refusal.ts";

const MAX_DEPTH = 32;

/** A value with a link to its parent. So a path is built only for a refused value. */
interface BodyNode {
  readonly value: JsonValue;
  readonly key: PropertyKey | null;
  readonly parent: BodyNode | null;
  readonly depth: number;
}

function findTextProblem(text: string): string | undefined {
  if (text.includes("\0")) {
    return "contains a NUL character";
  }
  return text.isWellFormed() ? undefined : "contains an unpaired surrogate";
}

function findNameProblem(name: string): string | undefined {
  // Assigning this member to an object would replace the object's prototype.
  return name === "__proto__" ? "is not an allowed member name" : findTextProblem(name);
}

function findNodeProblem({ value, depth }: BodyNode): string | undefined {
  switch (typeof value) {
    case "string":
      return findTextProblem(value);
    case "number":
      // `JSON.parse` reads 1e999 as Infinity, which JSON cannot represent.
      return Number.isFinite(value) ? undefined : "is a number too large to represent";
    case "object":
      return depth > MAX_DEPTH ? `is nested deeper than ${MAX_DEPTH} levels` : undefined;
    default:
      return undefined;
  }
}

function refuseNode(refused: BodyNode, predicate: string): never {
  const path: PropertyKey[] = [];
  for (let node: BodyNode | null = refused; node !== null && node.key !== null; node = node.parent) {
    path.unshift(node.key);
  }
  const param = formatPath(path).replaceAll("\0", "").toWellFormed().slice(0, 200);
  refuse({
    code: "invalid_request",
    message: `${param === "" ? "the body" : param} ${predicate}`,
    ...(param !== "" && { param }),
  });
}

function* childrenOf(parent: BodyNode): Generator<BodyNode> {
  const { value, depth } = parent;
  if (typeof value !== "object" || value === null) {
    return;
  }
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value as Record<string, JsonValue>)) {
    const node = { value: member, key: isList ? Number(name) : name, parent, depth: depth + 1 };
    const nameProblem = isList ? undefined : findNameProblem(name);
    if (nameProblem !== undefined) {
      refuseNode(node, nameProblem);
    }
    yield node;
  }
}

/** Refuses JSON values that a database, a hash or a platform could not store or forward unchanged. */
export function assertWellFormed(body: JsonValue): void {
  // Use an explicit stack, because recursion into a deeply nested body could overflow the call stack.
  const pending: BodyNode[] = [{ value: body, key: null, parent: null, depth: 1 }];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const problem = findNodeProblem(node);
    if (problem !== undefined) {
      refuseNode(node, problem);
    }
    for (const member of childrenOf(node)) {
      pending.push(member);
    }
  }
}
