import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { getOperations } from "#metrics/index.ts";
import { OperatePage } from "./operate-page.tsx";

/** Handles `GET /dashboard/operate`. Users who are no operators get the 404 page. */
export async function showOperate(c: PageContext): Promise<Response> {
  const { signedIn } = c.var;
  if (!signedIn.isOperator) {
    return c.notFound();
  }
  const ctx = contextOf(c);
  const operations = await getOperations(ctx);
  return await renderPage(
    c,
    <OperatePage signedIn={signedIn} display={displayOf(c)} now={ctx.clock.now()} operations={operations} />,
  );
}
