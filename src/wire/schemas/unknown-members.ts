import { z } from "@hono/zod-openapi";
import { isJsonObject, type JsonValue } from "#core/json.ts";
import { nearestName } from "#core/nearest-name.ts";
import type { TimeWarning } from "#wire/local-time.ts";
import { Post } from "./post.ts";
import { formatPath } from "#wire/validation-refusal.ts";

/** How many unknown members are reported. A few warnings are enough to show the mistake. */
const TOLD = 10;
const PATH_SHOWN = 100;

/** The members of a post as it is read. They are no mistake, because a client may send back a post that it has read. */
const AS_READ = z.object({ ...Post.shape, target_options: Post.shape.targets });

interface UnknownMember {
  readonly path: readonly PropertyKey[];
  readonly name: string;
  readonly known: readonly string[];
}

/** The inner schema of a value, without optional, nullable, default and transform wrappers. */
function valueSchema(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return valueSchema(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? valueSchema(schema.in) : schema;
}

function* findUnknown(
  value: JsonValue | undefined,
  requested: unknown,
  read: unknown,
  path: readonly PropertyKey[] = [],
): Generator<UnknownMember> {
  const [schema, readSchema] = [valueSchema(requested), valueSchema(read)];
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    const readItem = readSchema instanceof z.ZodArray ? readSchema.element : undefined;
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      yield* findUnknown(item, schema.element, readItem, [...path, index]);
    }
  } else if (schema instanceof z.ZodObject && isJsonObject(value)) {
    const readShape: Readonly<Record<string, unknown>> = readSchema instanceof z.ZodObject ? readSchema.shape : {};
    const shape: Readonly<Record<string, unknown>> = schema.shape;
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(shape, name)) {
        yield* findUnknown(member, shape[name], readShape[name], [...path, name]);
      } else if (!Object.hasOwn(readShape, name)) {
        yield { path: [...path, name], name, known: Object.keys(shape) };
      }
    }
  }
}

/** Warns of ignored members of a request, with the name that each most likely means. */
export function unknownMemberWarnings(body: JsonValue | undefined, schema: z.ZodType): TimeWarning[] {
  const warnings: TimeWarning[] = [];
  for (const { path, name, known } of findUnknown(body, schema, AS_READ)) {
    warnings.push(unknownMember(formatPath(path), nearestName(name, known)));
    if (warnings.length === TOLD) {
      break;
    }
  }
  return warnings;
}

/** Warns of ignored query parameters. `status[]` counts as `status`. */
export function unknownParameterWarnings(names: Iterable<string>, known: readonly string[]): TimeWarning[] {
  return [...new Set(names)]
    .filter((name) => !known.includes(name))
    .slice(0, TOLD)
    .map((name) => unknownMember(name, nearestName(name, known)));
}

function unknownMember(name: string, meant: string | undefined): TimeWarning {
  const advice = meant === undefined ? "" : `: do you mean ${meant}?`;
  return { code: "unknown_member", message: `${name.slice(0, PATH_SHOWN)} is not known here and ignored${advice}` };
}
