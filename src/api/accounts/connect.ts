import { z } from "@hono/zod-openapi";
import { startConnect } from "#accounts/index.ts";
import { toIsoInstant } from "#core/clock.ts";
import { newRouter, operation } from "#api/operation.ts";
import { EXAMPLE_PLATFORM, Instant, PlatformName, optional } from "#wire/schemas/common.ts";
import { jsonBody, success } from "#wire/schemas/content.ts";

const ConnectBody = z
  .object({
    platform: PlatformName,
    input: optional(z.record(z.string(), z.string())).openapi({
      description:
        "Values for the fields that `GET /platforms` names under `connect.methods`, without secret ones. The page at `connect_url` asks the user for those that are missing.",
    }),
  })
  .openapi("ConnectBody");

const ConnectResponse = z
  .object({
    connect_url: z.string().openapi({
      format: "uri",
      description:
        "A page of this service to open in the user's browser. It names the workspace, asks for what the platform needs, and leads to the platform. One login can be finished with it, in the browser that started it. If the login has several accounts, a further page asks which of them to connect, for an hour.",
    }),
    platform: PlatformName,
    expires_at: Instant,
  })
  .openapi("ConnectResponse");

const route = operation("accounts:write", {
  method: "post",
  path: "/accounts",
  operationId: "connectAccount",
  summary: "Start connecting an account",
  description:
    "Returns the URL of a page from which the user logs in to the platform. The service cannot tell the caller when the user has finished: the person connects the only account of the login, or chooses among several. Then call `POST /accounts/sync` once, or list the accounts every 5 seconds until `expires_at` and look for the new one, or for one that is `active` again.",
  request: {
    body: jsonBody(ConnectBody, { platform: EXAMPLE_PLATFORM }),
  },
  responses: success(200, "The URL to open in a browser.", ConnectResponse, {
    connect_url: `https://almanac.example.org/connect/${EXAMPLE_PLATFORM}?state=dGhlIHN0YXRl`,
    platform: EXAMPLE_PLATFORM,
    expires_at: "2026-11-20T09:10:00.000Z",
  }),
});

export const connect = newRouter().openapi(route, async (c) => {
  const { platform, input = {} } = c.req.valid("json");
  const started = await startConnect(c.get("ctx"), { platform, input });
  return c.json(
    { connect_url: started.connectUrl, platform: started.platform, expires_at: toIsoInstant(started.expiresAt) },
    200,
  );
});
