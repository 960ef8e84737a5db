import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Config } from "#config.ts";
import { PLATFORM_NAMES, PLATFORMS } from "#core/platform.ts";
import { adapterFor } from "#platforms/registry.ts";
import type { ApiEnv } from "#api/env.ts";
import { registerComponents } from "./components.ts";
import { capitalized } from "./names.ts";
import { optionsSchemaOf } from "./options.ts";

/** The version of the document itself; the version of the API is in its path. */
const DOCUMENT_VERSION = "1.1.0";

const TAGS = [
  { name: "accounts", description: "Social accounts: connect, sync, disconnect." },
  { name: "media", description: "Images and videos to post." },
  { name: "platforms", description: "What each platform takes." },
  { name: "posts", description: "Posts: preview and confirm, list, edit, cancel." },
  { name: "schedule", description: "The schedule as a whole." },
  { name: "workspaces", description: "What accounts and posts belong to." },
];

const DESCRIPTION = `Schedule, preview, edit and cancel posts on ${PLATFORMS.length} platforms.

Scheduling takes two calls: a preview checks everything and answers a \`confirmation_token\`; confirming that token within
5 minutes does exactly what was shown. Edits work the same way. Destructive calls need \`confirm: true\`.

Every answer is JSON. Instants are ISO 8601 in UTC. An error says what went wrong in \`error\`, has a stable word in
\`code\`, and lists every problem in \`details\`.`;

type DocumentConfig = Pick<Config, "baseUrl" | "authUrl" | "docsUrl" | "setting">;

type Document = ReturnType<OpenAPIHono<ApiEnv>["getOpenAPI31Document"]>;

/** The known keys of `platform_options` come from the adapters, one named schema each; unknown keys pass everywhere. */
function describeOptions(document: Document): void {
  const schemas = document.components?.schemas;
  if (!schemas) {
    return;
  }
  const names = PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    if (!adapter) {
      return [];
    }
    const name = `${capitalized(platform)}Options`;
    schemas[name] = {
      description: `What \`platform_options\` may say to ${PLATFORM_NAMES[platform]}.`,
      ...optionsSchemaOf(adapter),
    };
    return [name];
  });
  schemas["PlatformOptions"] = {
    description: "Settings of the account's platform; keys it does not know are accepted and kept.",
    type: "object",
    additionalProperties: true,
    ...(names.length > 1 && { anyOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) }),
  };
}

function contactEmail(config: DocumentConfig): string {
  const { hostname } = new URL(config.baseUrl);
  return config.setting("CONTACT_EMAIL") ?? `support@${hostname.includes(".") ? hostname : "almanac.example"}`;
}

/** The OpenAPI document of the app, as text. Takes a while: callers keep what they got. */
export function buildDocument(app: OpenAPIHono<ApiEnv>, config: DocumentConfig): string {
  registerComponents(app.openAPIRegistry, config);
  // Members that only 3.1 knows are missing from the generator's types, so the head is not written in place.
  const info = {
    title: "Almanac",
    version: DOCUMENT_VERSION,
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
  describeOptions(document);
  // The generator leaves an empty list behind, at which tools for 3.0 choke.
  delete document.webhooks;
  return JSON.stringify(document);
}
