import { Hono } from "hono";
import { z } from "zod";
import { BadRequest } from "#sandbox/bad-request.ts";
import type { SandboxEnv } from "#sandbox/env.ts";
import { limitBody } from "#sandbox/platform-routes.ts";
import { parseWith, readBody, type SandboxHttp } from "#sandbox/read-body.ts";
import { ReceiverBehaviour } from "./behaviour.ts";
import type { ReceiverControl } from "./durable-object.ts";

const NAME = /^[\w-]{1,60}$/;

const PageInput = z.object({
  after: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** The Durable Object of a receiver. The type is cast for the same reason as in `simulatorStub`. */
function receiverStub(c: SandboxHttp): ReceiverControl & Pick<Fetcher, "fetch"> {
  const name = c.req.param("name") ?? "";
  if (!NAME.test(name)) {
    throw new BadRequest("a receiver's name has 1 to 60 letters, digits, - or _");
  }
  const stub: unknown = c.env.RECEIVERS.get(c.env.RECEIVERS.idFromName(name));
  return stub as ReceiverControl & Pick<Fetcher, "fetch">;
}

/**
 * Routes that receive webhooks. Both the service's sandbox and the simulators' own worker mount them under /sandbox.
 * Any name is a receiver; nobody creates one first.
 */
export function receiverRoutes() {
  const app = new Hono<{ Bindings: SandboxEnv }>();

  app.use(limitBody);

  app.post("/receivers/:name", (c) => receiverStub(c).fetch(c.req.raw));

  app.get("/receivers/:name", async (c) => {
    const { after, limit } = parseWith(PageInput, c.req.query());
    const deliveries = await receiverStub(c).received(after, limit);
    return c.json({ deliveries, next_after: deliveries.at(-1)?.seq ?? after });
  });

  app.delete("/receivers/:name", async (c) => {
    await receiverStub(c).empty();
    return c.json({ deliveries: [] });
  });

  app.put("/receivers/:name/behaviour", async (c) => {
    const behaviour = await readBody(c, ReceiverBehaviour);
    await receiverStub(c).behave(behaviour);
    return c.json({ behaviour });
  });

  return app;
}
