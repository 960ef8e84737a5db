import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { PageEnv } from "./env.ts";

const FORM_MAX = 64 * 1024;
/** Events of the payment provider carry whole objects. */
const EVENT_MAX = 512 * 1024;

/** For the forms of a person. */
export const limitForm: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: FORM_MAX,
  onError: (c) => c.text("That is too much for a form.", 413),
});

/** For the requests of an OAuth client. */
export const limitClient: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: FORM_MAX,
  onError: (c) => c.json({ error: "invalid_request", error_description: "the body is too large" }, 413),
});

export const limitEvent: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: EVENT_MAX,
  onError: (c) => c.json({ error: "the event is too large" }, 413),
});
