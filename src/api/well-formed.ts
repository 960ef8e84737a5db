import { refuse } from "#core/errors.ts";
import type { JsonValue } from "#core/json.ts";
import { paramOf } from "./problems.ts";

const MAX_DEPTH = 32;

/** A value and the way to it, as a chain: a path is only spelled out for the one that is refused. */
interface Place {
  readonly value: JsonValue;
  readonly step: PropertyKey | null;
  readonly parent: Place | null;
  readonly depth: number;
}

function faultOfText(text: string): string | undefined {
  if (text.includes("\0")) {
    return "contains a NUL character";
  }
  return text.isWellFormed() ? undefined : "contains an unpaired surrogate";
}

function faultOfName(name: string): string | undefined {
  // An assignment of this name would replace the prototype of whatever object it is copied into.
  return name === "__proto__" ? "is not an allowed member name" : faultOfText(name);
}

function faultOf({ value, depth }: Place): string | undefined {
  switch (typeof value) {
    case "string":
      return faultOfText(value);
    case "number":
      // JSON.parse reads 1e999 as Infinity, which no later step could write down again.
      return Number.isFinite(value) ? undefined : "is a number beyond all bounds";
    case "object":
      return depth > MAX_DEPTH ? `is nested deeper than ${MAX_DEPTH} levels` : undefined;
    default:
      return undefined;
  }
}

function refuseAt(place: Place, sentence: string): never {
  const path: PropertyKey[] = [];
  for (let at: Place | null = place; at !== null && at.step !== null; at = at.parent) {
    path.unshift(at.step);
  }
  const param = paramOf(path).replaceAll("\0", "").toWellFormed().slice(0, 200);
  refuse({
    code: "invalid_request",
    message: `${param === "" ? "the body" : param} ${sentence}`,
    ...(param !== "" && { param }),
  });
}

function* membersOf(parent: Place): Generator<Place> {
  const { value, depth } = parent;
  if (typeof value !== "object" || value === null) {
    return;
  }
  const isList = Array.isArray(value);
  for (const [name, member] of Object.entries(value as Record<string, JsonValue>)) {
    const place = { value: member, step: isList ? Number(name) : name, parent, depth: depth + 1 };
    const badName = isList ? undefined : faultOfName(name);
    if (badName !== undefined) {
      refuseAt(place, badName);
    }
    yield place;
  }
}

/** JSON can say things that no database, hash or platform can carry on; they are refused before anyone reads them. */
export function assertWellFormed(body: JsonValue): void {
  // A stack of its own, because a deeply nested body must not use up ours.
  const open: Place[] = [{ value: body, step: null, parent: null, depth: 1 }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const found = faultOf(place);
    if (found !== undefined) {
      refuseAt(place, found);
    }
    for (const member of membersOf(place)) {
      open.push(member);
    }
  }
}
