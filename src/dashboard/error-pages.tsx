import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "./env.ts";
import { AuthLayout } from "./layout.tsx";
import { renderPage } from "./render-page.ts";

/** 404 for a missing page and for another user's resource: both look the same. */
export function renderNotFound(c: PageContext): Promise<Response> {
  return renderPage(
    c,
    <AuthLayout title="Page not found" script={false}>
      <h1>Page not found</h1>
      <p>The address may be outdated or mistyped.</p>
      <p>
        <a class="button" href="/dashboard">
          Go to the dashboard
        </a>
      </p>
    </AuthLayout>,
    404,
  );
}

/** Errors that no page handled: a refusal becomes 404; the details of any other error are logged and not shown. */
export function renderError(error: Error, c: PageContext): Promise<Response> {
  if (error instanceof RefusalError) {
    return renderNotFound(c);
  }
  log("error", "page.error", { path: c.req.path, name: error.name, message: error.message });
  return renderPage(
    c,
    <AuthLayout title="Something went wrong" script={false}>
      <h1>Something went wrong</h1>
      <p>This is an error on our side and has been logged. Please try again in a moment.</p>
    </AuthLayout>,
    500,
  );
}
