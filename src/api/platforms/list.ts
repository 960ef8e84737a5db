import { z } from "@hono/zod-openapi";
import type { Context } from "#context.ts";
import type { JsonObject } from "#core/json.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { Adapter, AppCredentials, ConnectMethod as AdapterConnectMethod } from "#platforms/contract.ts";
import { limitsFor } from "#platforms/limits-for.ts";
import { adapterFor } from "#platforms/registry.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM, PlatformName } from "#api/schemas/common.ts";
import { json } from "#api/schemas/content.ts";
import { limitFields, presentLimits } from "#api/schemas/platform-limits.ts";
import { toOptionsSchema } from "#platforms/options-schema.ts";

const ConnectField = z
  .object({
    name: z.string(),
    label: z.string(),
    description: z.string(),
    is_secret: z.boolean().openapi({
      description:
        "Whether only the page at `connect_url` accepts it; other fields can be sent as `input` of `POST /accounts`.",
    }),
    is_required: z.boolean(),
    max_length: z.int(),
    example: z.string(),
  })
  .openapi("ConnectField", { description: "A value that the platform needs before a login." });

const ConnectMethod = z
  .object({
    kind: z.enum(["oauth", "credentials"]).openapi({
      description: "`oauth`: the user logs in at the platform. `credentials`: the user enters an app password.",
    }),
    fields: z.array(ConnectField),
  })
  .openapi("ConnectMethod", { description: "A way to connect an account." });

const PlatformRules = z
  .object({
    platform: PlatformName,
    ...limitFields,
    options: z
      .custom<JsonObject>()
      .openapi({ type: "object", additionalProperties: true, description: "JSON Schema of `platform_options`." }),
    connect: z.object({ methods: z.array(ConnectMethod) }),
  })
  .openapi("PlatformRules", { description: "The rules of a platform, with which posts are validated." });

const PlatformList = z.object({ platforms: z.array(PlatformRules) }).openapi("PlatformList");

function presentRules(
  platform: Platform,
  adapter: Adapter,
  settings: AppCredentials["settings"] | undefined,
): z.infer<typeof PlatformRules> {
  return {
    platform,
    ...presentLimits(limitsFor(adapter, {}, settings)),
    options: toOptionsSchema(adapter),
    connect: { methods: adapter.connect.methods.map(presentMethod) },
  };
}

function presentMethod(method: AdapterConnectMethod): z.infer<typeof ConnectMethod> {
  const fields = method.kind === "oauth" ? method.input : method.fields;
  return {
    kind: method.kind,
    fields: fields.map(({ name, label, description, isSecret, isRequired, maxLength, example }) => ({
      name,
      label,
      description,
      is_secret: isSecret,
      is_required: isRequired,
      max_length: maxLength,
      example,
    })),
  };
}

/** Cached, because the rules of an installation are constant and generating their JSON Schemas is expensive. */
let cachedRules: z.infer<typeof PlatformRules>[] | undefined;

function listRules({ config }: Pick<Context, "config">): z.infer<typeof PlatformRules>[] {
  cachedRules ??= PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    return adapter ? [presentRules(platform, adapter, config.app(platform)?.settings)] : [];
  });
  return cachedRules;
}

const route = operation(null, {
  method: "get",
  path: "/platforms",
  operationId: "listPlatforms",
  tags: ["platforms"],
  summary: "List platforms and their rules",
  description:
    "Every limit and option of every platform, as a preview checks them; an account's own limits are its `limits`. Needs any valid credential and no scope.",
  responses: {
    200: {
      description: "The platforms.",
      content: json(PlatformList, {
        platforms: [
          {
            platform: EXAMPLE_PLATFORM,
            caption: { max: 2200, unit: "characters" },
            media: {
              text_only: false,
              images: { max: 10, max_bytes: 8_388_608, content_types: ["image/jpeg"] },
              videos: null,
              mixed: true,
            },
            rules: [
              { of: "platform_options.title", measure: "length", min: null, max: 100, allowed: null, when: null },
            ],
            options: { type: "object", properties: {}, additionalProperties: true },
            daily_caps: [{ count: 100, window_hours: 24, what: "posts" }],
            duplicate_text: {
              window_seconds: 43_200,
              note: "X refuses a text that the account has posted before, for up to 12 hours depending on the account",
            },
            connect: { methods: [{ kind: "oauth", fields: [] }] },
          },
        ],
      }),
    },
  },
});

export const list = newRouter().openapi(route, (c) => c.json({ platforms: listRules(c.var.ctx) }, 200));
