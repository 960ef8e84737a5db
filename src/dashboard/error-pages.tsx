import { RefusalError } from "#core/errors.ts";
import { log } from "#core/log.ts";
import type { PageContext } from "./env.ts";
import { Door } from "./layout.tsx";
import { render } from "./render.ts";

/** A page that is not there, or not this person's: both look the same. */
export function missing(c: PageContext): Promise<Response> {
  return render(
    c,
    <Door title="Nothing here" script={false}>
      <h1>There is nothing here</h1>
      <p>The address may be old or mistyped.</p>
      <p>
        <a class="button" href="/dashboard">
          To the dashboard
        </a>
      </p>
    </Door>,
    404,
  );
}

/** What no page expected: a refusal about a thing that is gone, or a fault of ours, which stays inside. */
export function fault(error: Error, c: PageContext): Promise<Response> {
  if (error instanceof RefusalError) {
    return missing(c);
  }
  log("error", "page.fault", { path: c.req.path, name: error.name, message: error.message });
  return render(
    c,
    <Door title="Something went wrong" script={false}>
      <h1>Something went wrong</h1>
      <p>The fault is ours and has been noted. Please try again in a moment.</p>
    </Door>,
    500,
  );
}
