import { z } from "@hono/zod-openapi";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM } from "#wire/schemas/common.ts";
import { success } from "#wire/schemas/content.ts";
import { listRules, PlatformRules } from "#wire/schemas/platform-rules.ts";

const PlatformList = z.object({ platforms: z.array(PlatformRules) }).openapi("PlatformList");

const route = operation(null, {
  method: "get",
  path: "/platforms",
  operationId: "listPlatforms",
  summary: "List platforms and their rules",
  description:
    "Every limit and option of every platform, as a preview checks them; an account's own limits are its `limits`. Needs any valid credential and no scope.",
  responses: success(200, "The platforms.", PlatformList, {
    platforms: [
      {
        platform: EXAMPLE_PLATFORM,
        caption: { max: 2200, unit: "characters" },
        media: {
          text_only: false,
          images: { max: 10, max_bytes: 8_388_608, content_types: ["image/jpeg"] },
          videos: null,
          mixed: true,
          alt_text: { types: ["image"], max: 1000 },
          covers: { at_ms: false, image: null },
        },
        rules: [{ of: "platform_options.title", measure: "length", min: null, max: 100, allowed: null, when: null }],
        options: { type: "object", properties: {}, additionalProperties: true },
        daily_caps: [{ count: 100, window_hours: 24, what: "posts" }],
        duplicate_text: {
          window_seconds: 43_200,
          note: "X refuses a text that the account has posted before, for up to 12 hours depending on the account",
        },
        option_scopes: [],
        connect: { methods: [{ kind: "oauth", fields: [] }] },
      },
    ],
  }),
});

export const list = newRouter().openapi(route, (c) => c.json({ platforms: listRules(c.get("ctx")) }, 200));
