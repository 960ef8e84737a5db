import type { InputRequiredResult, Tool as ListedTool } from "@modelcontextprotocol/server";
import { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import type { Scope } from "#core/scope.ts";
import { PlatformOptions } from "#wire/schemas/platform-options.ts";
import { problemsOf } from "#wire/unread-members.ts";
import { type ReadArguments, readArguments } from "./arguments.ts";
import { isListedBriefly } from "./listed-briefly.ts";
import type { TimeReader } from "#mcp/describe/local-time.ts";

export interface Call {
  readonly ctx: Context;
  readonly requestId: string;
  /** Whether the client can open a URL for the person and repeat the call afterwards. */
  readonly opensAddresses: boolean;
  /** Whether the client repeats the call after it opened a URL. Nothing else that the client reports is trusted. */
  readonly isRetry: boolean;
}

/**
 * The answer of a tool. The text must contain everything that the next step needs, because some hosts show nothing
 * else.
 */
export interface Answer {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Hints {
  readonly readOnly?: true;
  readonly destructive?: true;
  readonly idempotent?: true;
  readonly openWorld?: true;
}

/** Reads a tool's arguments and does its work. */
export interface ToolAction<Schema extends z.ZodObject> {
  /** The schema of the tool's arguments. It reads times in the time zone of the call. */
  readonly input: (reader: TimeReader) => Schema;
  readonly run: (call: Call, input: z.output<Schema>) => Promise<Answer | InputRequiredResult>;
  /**
   * Finds all other problems if some arguments are unreadable. It must refuse in the end, because `substitutes` stand
   * in for required arguments that nobody sent.
   */
  readonly check?: (call: Call, input: z.output<Schema>, unread: ReadonlySet<string>) => Promise<unknown>;
  readonly substitutes?: (call: Call) => Readonly<Record<string, JsonValue>>;
}

interface ToolDefinition<Schema extends z.ZodObject> extends ToolAction<Schema> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The scope that a credential needs; null if any valid credential is enough. */
  readonly scope: Scope | null;
  readonly hints: Hints;
  /** The page that an MCP host may show beside the result. */
  readonly card?: `ui://${string}`;
  /** The tool chooses among workspaces, so its own argument has the name by which all others name theirs. */
  readonly choosesWorkspace?: true;
}

/** A tool whose argument types are hidden, so that one list can contain all tools. */
export interface Tool {
  readonly name: string;
  readonly scope: Scope | null;
  readonly choosesWorkspace: boolean;
  /** The tool in the form that `tools/list` returns. */
  readonly listed: ListedTool;
  readonly run: (call: Call, args: JsonObject) => Promise<Answer | InputRequiredResult>;
}

export function defineTool<Schema extends z.ZodObject>(definition: ToolDefinition<Schema>): Tool {
  const { name, title, description, scope, hints, card, choosesWorkspace = false } = definition;
  return {
    name,
    scope,
    choosesWorkspace,
    listed: {
      name,
      title,
      description,
      inputSchema: listedSchema(definition.input({ timeZone: null, now: 0 })),
      annotations: {
        readOnlyHint: hints.readOnly === true,
        destructiveHint: hints.destructive === true,
        ...(hints.idempotent && { idempotentHint: true }),
        openWorldHint: hints.openWorld === true,
      },
      ...(card !== undefined && { _meta: { ui: { resourceUri: card } } }),
    },
    run: (call, args) => runAction(definition, call, args),
  };
}

/** Reads the arguments and runs the tool's action, or refuses with all problems. */
export async function runAction<Schema extends z.ZodObject>(
  action: ToolAction<Schema>,
  call: Call,
  args: JsonObject,
): Promise<Answer | InputRequiredResult> {
  const read = readArguments(call.ctx, action.input, args);
  return read.ok ? action.run(call, read.input) : refuseArguments(action, call, read);
}

/**
 * The largest limits that a listed schema names. Larger ones are omitted to save space; a refusal explains them better.
 */
const MAX_LISTED = { length: 40, items: 20, number: 1000 } as const;

type InputSchema = ListedTool["inputSchema"];

/** Removes from a schema what only a validator needs. Every name costs the model's attention in each conversation. */
function listedSchema(schema: z.ZodObject): InputSchema {
  const { $schema: _version, ...listed } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === PlatformOptions) {
        jsonSchema.type = "object";
      }
      if (Number(jsonSchema.maxLength) > MAX_LISTED.length) {
        delete jsonSchema.maxLength;
      }
      if (Number(jsonSchema.maxItems) > MAX_LISTED.items) {
        delete jsonSchema.maxItems;
      }
      if (isListedBriefly(zodSchema)) {
        jsonSchema.items = { type: isListOfWords(zodSchema) ? "string" : "object" };
      }
      delete jsonSchema.pattern;
      delete jsonSchema.additionalProperties;
      delete jsonSchema.propertyNames;
      if (jsonSchema.minLength === 1) {
        delete jsonSchema.minLength;
      }
      if (Number(jsonSchema.minimum) < -MAX_LISTED.number) {
        delete jsonSchema.minimum;
      }
      if (Number(jsonSchema.maximum) > MAX_LISTED.number) {
        delete jsonSchema.maximum;
      }
    },
  });
  return shortened(listed as JsonObject) as InputSchema;
}

function isListOfWords(schema: unknown): boolean {
  return schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum;
}

/** Writes "or null" as a second type of the schema instead of a second schema, which is shorter. */
function shortened(value: JsonValue): JsonValue {
  if (Array.isArray(value)) {
    return value.map(shortened);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  const { anyOf, ...rest } = Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortened(member)] as const),
  );
  const [schema, orNull, ...others] = Array.isArray(anyOf) ? (anyOf as readonly JsonValue[]) : [];
  const isOnlyOrNull = isJsonObject(orNull) && orNull["type"] === "null" && others.length === 0;
  return isOnlyOrNull && isJsonObject(schema) && typeof schema["type"] === "string" && schema["enum"] === undefined
    ? { ...rest, ...schema, type: [schema["type"], "null"] }
    : { ...rest, ...(anyOf !== undefined && { anyOf }) };
}

/** Refuses with all problems: those of the arguments, and those that `check` finds in the readable ones. */
async function refuseArguments<Schema extends z.ZodObject>(
  { check, substitutes }: ToolAction<Schema>,
  call: Call,
  { refusal, readable, unread }: Extract<ReadArguments<Schema>, { ok: false }>,
): Promise<never> {
  const input = check && readable(substitutes?.(call) ?? {});
  refuse(refusal(check && input ? await problemsOf(() => check(call, input, unread)) : []));
}
