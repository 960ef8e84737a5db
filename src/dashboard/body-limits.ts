import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { PageEnv } from "./env.ts";

const FORM_MAX_BYTES = 64 * 1024;
/** Events of the payment provider contain whole objects. */
const EVENT_MAX_BYTES = 512 * 1024;

/** For forms of the pages. */
export const limitFormBody: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: FORM_MAX_BYTES,
  onError: (c) => c.text("The form data is too large.", 413),
});

/** For requests of OAuth clients. */
export const limitOAuthBody: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: FORM_MAX_BYTES,
  onError: (c) => c.json({ error: "invalid_request", error_description: "the body is too large" }, 413),
});

export const limitEventBody: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: EVENT_MAX_BYTES,
  onError: (c) => c.json({ error: "the event is too large" }, 413),
});
