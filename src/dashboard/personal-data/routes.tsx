import { Hono } from "hono";
import { CURRENT_PASSWORD } from "#auth/index.ts";
import { readBillingSettings } from "#auth/billing/index.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import {
  deletionConsequences,
  findOwnExport,
  openExportFile,
  requestDeletion,
  startExport,
  withdrawDeletion,
} from "#personal-data/index.ts";
import { DataPage } from "./data-page.tsx";
import { DeletionPage } from "./deletion-page.tsx";

async function renderData(c: PageContext, error?: FormError): Promise<Response> {
  const { services, signedIn } = c.var;
  const ready = await findOwnExport(services, signedIn);
  return renderPage(c, <DataPage signedIn={signedIn} ready={ready} error={error} />, error === undefined ? 200 : 400);
}

async function renderDeletion(c: PageContext, error?: FormError): Promise<Response> {
  const { services, signedIn } = c.var;
  return renderPage(
    c,
    <DeletionPage
      signedIn={signedIn}
      consequences={await deletionConsequences(services, signedIn.actor.userId)}
      canMail={services.mailer !== null}
      hasPayment={readBillingSettings(services.config) !== null}
      error={error}
    />,
    error === undefined ? 200 : 400,
  );
}

/** Serves the download of a person's data and the deletion of the account, below the profile page. */
export const personalDataPages = new Hono<PageEnv>()
  .get("/data", (c) => renderData(c))
  .post("/data", async (c) => {
    const form = await readForm(c);
    const started = await runUseCase(() =>
      startExport(c.var.services, c.var.signedIn, { password: form.text(CURRENT_PASSWORD) }),
    );
    return started.ok ? c.redirect("/dashboard/profile/data", 303) : renderData(c, started.error);
  })
  .get("/data/:id/:number{[1-9][0-9]{0,4}}", async (c) => {
    const { name, body } = await openExportFile(c.var.services, c.var.signedIn, {
      id: c.req.param("id"),
      number: Number(c.req.param("number")),
    });
    return c.body(body, 200, {
      "Content-Type": "application/zip",
      "Content-Disposition": `attachment; filename="${name}"`,
      "Cache-Control": "no-store",
    });
  })
  .get("/deletion", (c) => renderDeletion(c))
  .post("/deletion", async (c) => {
    const form = await readForm(c);
    const requested = await runUseCase(() =>
      requestDeletion(c.var.services, c.var.signedIn, {
        password: form.text(CURRENT_PASSWORD),
        typedEmail: form.text("typed_email"),
        acceptsLast: form.text("accepts_last") === "yes",
      }),
    );
    return requested.ok ? c.redirect("/dashboard/profile/deletion", 303) : renderDeletion(c, requested.error);
  })
  .post("/deletion/withdraw", async (c) => {
    const withdrawn = await runUseCase(() => withdrawDeletion(c.var.services, { userId: c.var.signedIn.actor.userId }));
    return withdrawn.ok ? c.redirect("/dashboard/profile?done=kept", 303) : renderDeletion(c, withdrawn.error);
  });
