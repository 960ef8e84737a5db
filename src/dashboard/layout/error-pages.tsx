import type { FC } from "hono/jsx";
import { PasswordQueueFullError } from "#auth/index.ts";
import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import { isOverloaded, OVERLOADED_RETRY_SECONDS } from "#db/errors.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { AuthLayout } from "./layout.tsx";
import { renderPage } from "./render-page.tsx";

/** The 404 page. Another user's resource gets the same page as a missing one, so that nobody can tell them apart. */
export function renderNotFound(c: PageContext): Promise<Response> {
  return renderPage(
    c,
    <AuthLayout title="Page not found" script={false}>
      <h1>Page not found</h1>
      <p>The address may be outdated or mistyped, or what it showed was deleted or belongs to somebody else.</p>
      <p>
        <a class="button" href="/dashboard">
          Go to the dashboard
        </a>
      </p>
    </AuthLayout>,
    404,
  );
}

/** What a user reads when the database is overloaded. */
export const OVERLOADED_MESSAGE = "Almanac is overloaded at the moment.";

/** Sets status 503 and `Retry-After` for a request that changed nothing, so that the client can send it again. */
export function setOverloadedHeaders(c: PageContext): void {
  log("warn", "page.overloaded", { path: c.req.path, method: c.req.method });
  c.header("Retry-After", String(OVERLOADED_RETRY_SECONDS));
}

function renderOverloaded(c: PageContext): Promise<Response> {
  setOverloadedHeaders(c);
  return renderPage(
    c,
    <AuthLayout title="Try again in some seconds" script={false}>
      <h1>Try again in some seconds</h1>
      <p>{OVERLOADED_MESSAGE} Nothing was changed. Wait some seconds, then reload this page.</p>
    </AuthLayout>,
    503,
  );
}

/** The page for a busy service. Nothing was checked or counted, so the person can send the form again. */
const BusyPage: FC = () => (
  <AuthLayout title="Please try again" script={false}>
    <h1>Please try again</h1>
    <p>Too many people are signing in at the same moment. Wait a few seconds, then send the form again.</p>
  </AuthLayout>
);

/**
 * Handles errors that no page caught. A refusal becomes 404; any other error is logged, and the page shows no details.
 */
export function renderError(error: Error, c: PageContext): Promise<Response> {
  if (error instanceof RefusalError) {
    return renderNotFound(c);
  }
  if (isOverloaded(error)) {
    return renderOverloaded(c);
  }
  if (error instanceof PasswordQueueFullError) {
    c.header("Retry-After", String(error.retryAfterSeconds));
    return renderPage(c, <BusyPage />, 503);
  }
  log("error", "page.error", { path: c.req.path, name: error.name, message: error.message });
  return renderPage(
    c,
    <AuthLayout title="Something went wrong" script={false}>
      <h1>Something went wrong</h1>
      <p>
        This is an error on our side and has been logged. Reload this page in a moment. If you had sent a form, look
        first whether it took effect.
      </p>
    </AuthLayout>,
    500,
  );
}
