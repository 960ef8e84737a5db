import { findDeletion } from "#accounts/index.ts";
import { PLATFORMS } from "#core/platform.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { renderNotFound } from "#dashboard/layout/error-pages.tsx";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { DataDeletionPage, DeletionStatusPage } from "./data-deletion-pages.tsx";
import { readOperator } from "./operator.ts";
import { PrivacyPage } from "./privacy-page.tsx";
import { TermsPage } from "./terms-page.tsx";

/**
 * The platforms that users can connect here. Public pages describe only these, because no other platform's data are
 * stored.
 */
function configuredAdapters({ services }: PageContext["var"]) {
  return PLATFORMS.flatMap((platform) => (services.config.app(platform) ? (services.adapterFor(platform) ?? []) : []));
}

export async function showPrivacy(c: PageContext): Promise<Response> {
  const { config } = c.var.services;
  const operator = readOperator(config);
  const hasPayment = config.setting("STRIPE_SECRET_KEY") !== null;
  return operator
    ? await renderPage(
        c,
        <PrivacyPage operator={operator} adapters={configuredAdapters(c.var)} hasPayment={hasPayment} />,
      )
    : await renderNotFound(c);
}

export async function showTerms(c: PageContext): Promise<Response> {
  const operator = readOperator(c.var.services.config);
  const platformTerms = configuredAdapters(c.var).flatMap(({ dataPolicy }) => dataPolicy.terms ?? []);
  return operator
    ? await renderPage(c, <TermsPage operator={operator} platformTerms={platformTerms} />)
    : await renderNotFound(c);
}

export async function showDataDeletion(c: PageContext): Promise<Response> {
  const operator = readOperator(c.var.services.config);
  const callers = configuredAdapters(c.var).flatMap(({ platform, connect }) =>
    connect.readSignedRequest ? [platform] : [],
  );
  return operator
    ? await renderPage(c, <DataDeletionPage operator={operator} callers={callers} />)
    : await renderNotFound(c);
}

/**
 * Serves the state of a deletion request. It works without a configured operator too, because platforms have this
 * address.
 */
export async function showDeletionStatus(c: PageContext): Promise<Response> {
  const { db, config } = c.var.services;
  const code = c.req.param("code") ?? "";
  const deletion = await findDeletion(db, code);
  return deletion
    ? await renderPage(c, <DeletionStatusPage operator={readOperator(config)} code={code} deletion={deletion} />)
    : await renderNotFound(c);
}
