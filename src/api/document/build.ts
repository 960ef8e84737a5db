import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "#config.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { VERSION } from "#core/version.ts";
import { adapterFor } from "#platforms/registry.ts";
import type { ApiEnv } from "#api/env.ts";
import { registerComponents } from "./components.ts";
import { capitalize } from "#api/capitalize.ts";
import { describeDocument } from "./describe.ts";
import { allOperations } from "./operations.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";
import { registerWebhooks } from "./webhooks.ts";

/**
 * The product specification fixes the version of the OpenAPI document. The release number is therefore in
 * `x-service-version`.
 */
const DOCUMENT_VERSION = "1.1.0";

const TAGS = [
  { name: "accounts", description: "Social accounts: connect, sync, disconnect." },
  { name: "approvals", description: "What a person must approve before it is scheduled or changed." },
  { name: "drafts", description: "Posts that somebody is still working on." },
  { name: "events", description: "What happened in a workspace, to catch up with." },
  { name: "media", description: "Images and videos to post." },
  { name: "platforms", description: "The rules of each platform." },
  { name: "posts", description: "Posts: preview and confirm, list, edit, cancel." },
  { name: "schedule", description: "Summaries of the schedule." },
  { name: "webhooks", description: "Addresses to which events are sent as they happen." },
  { name: "workspaces", description: "Workspaces, to which accounts and posts belong." },
];

const DESCRIPTION = `Schedule, preview, edit and cancel posts on ${PLATFORMS.length} platforms.

Scheduling takes two calls: a preview checks everything and returns a \`confirmation_token\`; confirming that token within
5 minutes does exactly what the preview showed. Edits work the same way. Where a person confirms what a credential previews, the
confirm is refused with 403 \`approval_required\` and the address of the page on which the signed-in user decides; the same confirm
says later what became of it. Destructive calls need \`confirm: true\`.

What happens is sent to webhooks, signed as Standard Webhooks describes it, and \`GET /events\` lists it for whoever was away.

Every response is JSON. Date-times are ISO 8601 in UTC. An error has a message in \`error\` and a stable \`code\`, and lists
every problem in \`details\`.

A call works in one workspace: that of the credential, if it is pinned to one; else the one that the header \`Almanac-Workspace\`
names by its id; else the active workspace of the user, which others may change between two calls. The answer repeats the header. A
workspace that the credential cannot reach is refused with 404, anything but one UUID with 400.

Every POST, PUT, PATCH and DELETE accepts the header \`Idempotency-Key\` (1 to 255 characters), which makes it safe to repeat for 24 hours,
in each named or pinned workspace by itself:
the same key with the same body returns the first response again, with the header \`Idempotent-Replayed: true\`; another body is
refused with 400, and a call while the first call is still running with 409. Use a new key for each intended call. A replayed
error has the \`request_id\` of the first call in its body, because that call did the work; the header \`X-Request-Id\` always
identifies the call that it answers. Of a response over 6 KB only the ids are kept: a repeated confirm shows the same posts as
they are now, also with \`Idempotent-Replayed: true\`. A preview, a sync, an import or a refused call with such a response runs
again, which has no further effect; a repeated preview returns a new \`confirmation_token\`.`;

type DocumentConfig = Pick<Config, "baseUrl" | "authUrl" | "docsUrl" | "setting">;

type Document = ReturnType<OpenAPIHono<ApiEnv>["getOpenAPI31Document"]>;

/** Adds a named schema of `platform_options` for each platform. The schema accepts unknown keys, as the API does. */
function addOptionsSchemas(document: Document): void {
  const schemas = document.components?.schemas;
  if (!schemas) {
    return;
  }
  // The generator writes that a nullable value must be null and an object at once. No value can be both, so correct the
  // schema.
  const target = schemas["ScheduleTarget"] as { properties?: Record<string, object> } | undefined;
  if (target?.properties) {
    target.properties["platform_options"] = {
      anyOf: [{ $ref: "#/components/schemas/PlatformOptions" }, { type: "null" }],
    };
  }
  const names = PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    if (!adapter) {
      return [];
    }
    const name = `${capitalize(platform)}Options`;
    schemas[name] = {
      description: `The \`platform_options\` of ${PLATFORM_NAMES[platform]}.`,
      ...toOptionsSchema(adapter),
    };
    return [name];
  });
  schemas["PlatformOptions"] = {
    description:
      "Settings of the account's platform; null is the same as leaving a key out. Unknown keys are accepted and stored.",
    type: "object",
    additionalProperties: true,
    ...(names.length > 1 && { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) }),
  };
}

function contactEmail(config: DocumentConfig): string {
  const { hostname } = new URL(config.baseUrl);
  return config.setting("CONTACT_EMAIL") ?? `support@${hostname.includes(".") ? hostname : "almanac.example"}`;
}

/** Builds the OpenAPI document as text. Callers must cache the text, because this is expensive. */
export function buildDocument(config: DocumentConfig): string {
  const app = allOperations();
  registerComponents(app.openAPIRegistry, config);
  registerWebhooks(app.openAPIRegistry);
  // The generator's types lack the members that OpenAPI 3.1 added. A constant of its own escapes their check for
  // unknown members.
  const info = {
    title: "Almanac",
    version: DOCUMENT_VERSION,
    "x-service-version": VERSION,
    summary: "Social post scheduling",
    description: DESCRIPTION,
    contact: { name: "Almanac", url: config.docsUrl, email: contactEmail(config) },
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  };
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info,
    servers: [{ url: config.baseUrl, description: "This service" }],
    externalDocs: { url: config.docsUrl, description: "Documentation" },
    tags: TAGS,
  });
  addOptionsSchemas(document);
  describeDocument(document);
  return JSON.stringify(document);
}
