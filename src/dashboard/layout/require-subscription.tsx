import type { MiddlewareHandler } from "hono";
import { Notice } from "./components.tsx";
import type { PageEnv } from "#dashboard/request/env.ts";
import { DashboardLayout } from "./layout.tsx";
import { renderPage } from "./render-page.tsx";

/**
 * Refuses forms that schedule or connect something without a subscription, as the API does. Forms that stop or remove
 * something stay possible.
 */
export const requireSubscriptionToSend: MiddlewareHandler<PageEnv> = (c, next) =>
  c.req.method !== "POST" || c.var.signedIn.actor.subscribed
    ? next()
    : renderPage(
        c,
        <DashboardLayout title="Nothing was changed" section="plan" signedIn={c.var.signedIn}>
          <Notice kind="error">
            Your trial or subscription has ended. Choose a plan, then send the form again: what is planned stays here.
          </Notice>
          <p>
            <a class="button" href="/dashboard/plan">
              Choose a plan
            </a>
          </p>
        </DashboardLayout>,
        403,
      );
