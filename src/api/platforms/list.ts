import { z } from "@hono/zod-openapi";
import type { JsonObject } from "#core/json.ts";
import { type Platform, PLATFORMS } from "#core/platform.ts";
import type { Adapter, ConnectMethod as AdapterConnectMethod, PlatformLimits } from "#platforms/contract.ts";
import { adapterFor } from "#platforms/registry.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM, PlatformName } from "#api/schemas/common.ts";
import { json } from "#api/schemas/content.ts";
import { toOptionsSchema } from "#api/document/options.ts";

const MediaLimits = z
  .object({
    text_only: z.boolean().openapi({ description: "Whether a post without media is accepted." }),
    images: z.object({ max: z.int(), max_bytes: z.int(), content_types: z.array(z.string()) }).nullable(),
    videos: z
      .object({
        max: z.int(),
        max_bytes: z.int(),
        content_types: z.array(z.string()),
        min_seconds: z.number(),
        max_seconds: z.number(),
      })
      .nullable(),
    mixed: z.boolean().openapi({ description: "Whether one post may have images and videos." }),
  })
  .openapi("MediaLimits");

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
    caption: z.object({
      max: z.int(),
      unit: z.string().openapi({ description: "The unit in which the platform counts." }),
    }),
    media: MediaLimits,
    options: z
      .custom<JsonObject>()
      .openapi({ type: "object", additionalProperties: true, description: "JSON Schema of `platform_options`." }),
    daily_caps: z.array(
      z.object({
        count: z.int(),
        window_hours: z.number(),
        what: z.string(),
      }),
    ),
    connect: z.object({ methods: z.array(ConnectMethod) }),
  })
  .openapi("PlatformRules", { description: "The rules of a platform, with which posts are validated." });

const PlatformList = z.object({ platforms: z.array(PlatformRules) }).openapi("PlatformList");

function presentMedia({ textOnly, images, videos, mixed }: PlatformLimits["media"]): z.infer<typeof MediaLimits> {
  return {
    text_only: textOnly,
    images: images && { max: images.max, max_bytes: images.maxBytes, content_types: [...images.contentTypes] },
    videos: videos && {
      max: videos.max,
      max_bytes: videos.maxBytes,
      content_types: [...videos.contentTypes],
      min_seconds: videos.minSeconds,
      max_seconds: videos.maxSeconds,
    },
    mixed,
  };
}

function presentRules(platform: Platform, adapter: Adapter): z.infer<typeof PlatformRules> {
  const { caption, media, dailyCaps } = adapter.limits;
  return {
    platform,
    caption: { max: caption.max, unit: caption.unit },
    media: presentMedia(media),
    options: toOptionsSchema(adapter),
    daily_caps: dailyCaps.map(({ count, windowHours, what }) => ({ count, window_hours: windowHours, what })),
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

/** Cached, because the rules are constant and generating their JSON Schemas is expensive. */
let cachedRules: z.infer<typeof PlatformRules>[] | undefined;

function listRules(): z.infer<typeof PlatformRules>[] {
  cachedRules ??= PLATFORMS.flatMap((platform) => {
    const adapter = adapterFor(platform);
    return adapter ? [presentRules(platform, adapter)] : [];
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
    "Caption lengths, media limits and options of every platform, as a preview checks them. Needs any valid credential and no scope.",
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
            options: { type: "object", properties: {}, additionalProperties: true },
            daily_caps: [{ count: 100, window_hours: 24, what: "posts" }],
            connect: { methods: [{ kind: "oauth", fields: [] }] },
          },
        ],
      }),
    },
  },
});

export const list = newRouter().openapi(route, (c) => c.json({ platforms: listRules() }, 200));
