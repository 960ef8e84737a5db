import {
  EXAMPLE_ACCOUNT_ID,
  EXAMPLE_APPROVAL_ID,
  EXAMPLE_DRAFT_ID,
  EXAMPLE_ID,
  EXAMPLE_KEY_ID,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WORKSPACE_ID,
} from "#wire/schemas/common.ts";
import { COMMON_DESCRIPTIONS, MEMBER_DESCRIPTIONS, SCHEMA_DESCRIPTIONS } from "./descriptions.ts";
import { meaningsOf } from "./enum-meanings.ts";

/** The members of a JSON Schema that contain other schemas or describe a value. */
interface Schema {
  $ref?: string;
  description?: string;
  example?: unknown;
  enum?: readonly unknown[];
  "x-enum-descriptions"?: readonly string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Described {
  components?: { schemas?: Record<string, unknown> | undefined } | undefined;
  paths?: Record<string, unknown> | undefined;
  webhooks?: Record<string, unknown> | undefined;
}

interface Operation {
  readonly parameters?: readonly { schema?: Schema }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/**
 * Finds the description of a schema's member: first for its exact path, then for the member in any schema (`*`), then
 * by its name alone.
 */
function descriptionOf(schema: string, path: string): string | undefined {
  const members = MEMBER_DESCRIPTIONS[schema] ?? {};
  const anyOfPlace = path.replace(/(^|\.)\w+(\.\w+)$/, "$1*$2");
  const lastOfPlace = path.replace(/\.\w+$/, ".*");
  return (
    members[path] ??
    members[anyOfPlace] ??
    members[lastOfPlace] ??
    COMMON_DESCRIPTIONS[path.replace(/^.*\./, "").replaceAll("[]", "")]
  );
}

/** The ids in the document's examples, by member name. The name of a schema stands for the `id` of that schema. */
const EXAMPLE_IDS: Readonly<Record<string, string>> = {
  Account: EXAMPLE_ACCOUNT_ID,
  Approval: EXAMPLE_APPROVAL_ID,
  CreatedBy: EXAMPLE_KEY_ID,
  DeletedWebhook: EXAMPLE_WEBHOOK_ID,
  DeletedDraft: EXAMPLE_DRAFT_ID,
  DisconnectedAccount: EXAMPLE_ACCOUNT_ID,
  Draft: EXAMPLE_DRAFT_ID,
  DraftSummary: EXAMPLE_DRAFT_ID,
  ErrorApproval: EXAMPLE_APPROVAL_ID,
  Webhook: EXAMPLE_WEBHOOK_ID,
  Workspace: EXAMPLE_WORKSPACE_ID,
  account_id: EXAMPLE_ACCOUNT_ID,
  "account_ids[]": EXAMPLE_ACCOUNT_ID,
  "added[]": EXAMPLE_ACCOUNT_ID,
  approval_id: EXAMPLE_APPROVAL_ID,
  "needs_reconnect[]": EXAMPLE_ACCOUNT_ID,
  "updated[]": EXAMPLE_ACCOUNT_ID,
  webhook_id: EXAMPLE_WEBHOOK_ID,
  "webhook.id": EXAMPLE_WEBHOOK_ID,
  workspace_id: EXAMPLE_WORKSPACE_ID,
};

function exampleIdOf(name: string, path: string): string {
  const names = [path.split(".").slice(-2).join("."), path.split(".").at(-1) ?? "", ...(path === "id" ? [name] : [])];
  return names.map((candidate) => EXAMPLE_IDS[candidate]).find((id) => id !== undefined) ?? EXAMPLE_ID;
}

/** Describes the members and enum values of a schema that have no description yet. */
function describeSchema(schema: Schema, name: string, path: string): void {
  if (schema.enum && schema.enum.length > 1 && !schema["x-enum-descriptions"]) {
    const meanings = meaningsOf(schema.enum);
    if (meanings) {
      schema["x-enum-descriptions"] = meanings;
    }
  }
  if (schema.example === EXAMPLE_ID) {
    schema.example = exampleIdOf(name, path);
  }
  for (const [member, property] of Object.entries(schema.properties ?? {})) {
    const place = path === "" ? member : `${path}.${member}`;
    const description = property.description ?? descriptionOf(name, place);
    if (description !== undefined) {
      property.description = description;
    }
    describeSchema(property, name, place);
  }
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    describeSchema(part, name, path);
  }
  if (schema.items) {
    describeSchema(schema.items, name, `${path}[]`);
  }
}

function operationsOf(paths: Record<string, unknown> | undefined): [string, Operation][] {
  return Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.values(methods as Readonly<Record<string, Operation>>).map((operation): [string, Operation] => [
      path,
      operation,
    ]),
  );
}

/** The name of the schema for an event type: `PostEvent` describes `post.published`. */
const eventSchemaOf = (type: string): string =>
  `${type.charAt(0).toUpperCase()}${type.slice(1, type.indexOf("."))}Event`;

/** Adds the descriptions to the OpenAPI document that the schemas in the code do not contain. */
export function describeDocument({ components, paths, webhooks }: Described): void {
  for (const [name, value] of Object.entries(components?.schemas ?? {})) {
    const schema = value as Schema;
    const description = schema.description ?? SCHEMA_DESCRIPTIONS[name];
    if (description !== undefined) {
      schema.description = description;
    }
    describeSchema(schema, name, "");
  }
  for (const [, { parameters = [] }] of operationsOf(paths)) {
    for (const { schema = {} } of parameters) {
      describeSchema(schema, "", "");
    }
  }
  for (const [type, { requestBody }] of operationsOf(webhooks)) {
    for (const { schema = {} } of Object.values(requestBody?.content ?? {})) {
      describeSchema(schema, eventSchemaOf(type), "");
    }
  }
}
