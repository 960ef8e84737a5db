import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { PageEnv } from "./env.ts";

const FORM_MAX_BYTES = 64 * 1024;
/** The largest event of the payment provider (bytes). Events contain whole objects. */
const EVENT_MAX_BYTES = 512 * 1024;

/** The largest form of the composer (bytes). A post may have as much text as in the API. */
const POST_FORM_MAX_BYTES = 1024 * 1024;
const POST_FORMS = new Set(["check", "preview", "confirm"].map((name) => `/dashboard/posts/${name}`));

/** The largest form with a table (bytes): the table, and a hundred rows again as cells. */
const TABLE_FORM_MAX_BYTES = 3 * 1024 * 1024;
const TABLE_FORMS = new Set(["/dashboard/posts/many/preview", "/dashboard/posts/many/confirm"]);

const formLimit = (maxSize: number): MiddlewareHandler<PageEnv> =>
  bodyLimit({ maxSize, onError: (c) => c.text("The form data is too large.", 413) });

const limitSmallForm = formLimit(FORM_MAX_BYTES);
const limitPostForm = formLimit(POST_FORM_MAX_BYTES);
const limitTableForm = formLimit(TABLE_FORM_MAX_BYTES);

export const limitFormBody: MiddlewareHandler<PageEnv> = (c, next) =>
  (TABLE_FORMS.has(c.req.path) ? limitTableForm : POST_FORMS.has(c.req.path) ? limitPostForm : limitSmallForm)(c, next);

export const limitOAuthBody: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: FORM_MAX_BYTES,
  onError: (c) => c.json({ error: "invalid_request", error_description: "the body is too large" }, 413),
});

export const limitEventBody: MiddlewareHandler<PageEnv> = bodyLimit({
  maxSize: EVENT_MAX_BYTES,
  onError: (c) => c.json({ error: "the event is too large" }, 413),
});
