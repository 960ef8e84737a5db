import { z } from "@hono/zod-openapi";
import { startConnect } from "#accounts/index.ts";
import { toIsoInstant } from "#core/clock.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM, Instant, PlatformName } from "#api/schemas/common.ts";
import { json } from "#api/schemas/content.ts";

const ConnectBody = z.object({ platform: PlatformName }).openapi("ConnectBody");

const ConnectResponse = z
  .object({
    connect_url: z
      .string()
      .openapi({ format: "uri", description: "The URL to open in the user's browser; works once." }),
    platform: PlatformName,
    expires_at: Instant,
  })
  .openapi("ConnectResponse");

const route = operation("accounts:write", {
  method: "post",
  path: "/accounts",
  operationId: "connectAccount",
  tags: ["accounts"],
  summary: "Start connecting an account",
  description:
    "Returns a URL at which the user logs in to the platform. After the login, call `POST /accounts/sync` or list the accounts.",
  request: {
    body: { required: true, content: json(ConnectBody, { platform: EXAMPLE_PLATFORM }) },
  },
  responses: {
    200: {
      description: "The URL to open in a browser.",
      content: json(ConnectResponse, {
        connect_url: "https://social.example.net/oauth/authorize?client_id=1234&state=dGhlIHN0YXRl",
        platform: EXAMPLE_PLATFORM,
        expires_at: "2026-11-20T09:10:00.000Z",
      }),
    },
  },
});

export const connect = newRouter().openapi(route, async (c) => {
  const { platform } = c.req.valid("json");
  const started = await startConnect(c.var.ctx, { platform });
  return c.json(
    { connect_url: started.connectUrl, platform: started.platform, expires_at: toIsoInstant(started.expiresAt) },
    200,
  );
});
