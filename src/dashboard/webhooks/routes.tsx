import { Hono } from "hono";
import { CURRENT_PASSWORD, requireRecentAuthentication } from "#auth/index.ts";
import { DAY } from "#core/clock.ts";
import { DELIVERY_STATUSES, type DeliveryTry } from "#core/webhook-sender.ts";
import { readTime, timeFields } from "#dashboard/post-form/read-time.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { displayOf } from "#dashboard/wording/display.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { EVENT_RETENTION_DAYS, getEventLog, setEventLog } from "#events/index.ts";
import {
  createWebhook,
  deleteWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  replayEvents,
  resendDelivery,
  rotateSecret,
  sendTest,
  updateWebhook,
  type WebhookTypes,
} from "#webhooks/index.ts";
import { presentTestEvent } from "#wire/schemas/event.ts";
import { CreatedPage } from "./created-page.tsx";
import { DeliveryPage } from "./delivery-page.tsx";
import { EMPTY_VALUES, readWebhookForm, requestedTypes, valuesOf, type WebhookFormValues } from "./fields.tsx";
import { WebhookListPage } from "./list-page.tsx";
import { WebhookPage } from "./webhook-page.tsx";

const DELIVERIES_PER_PAGE = 25;

/** Matches only ids, because other paths below `/webhooks` are words. */
const WEBHOOK = "/:id{[0-9a-f-]{36}}";

const idOf = (c: PageContext) => c.req.param("id") ?? "";
const pathOf = (c: PageContext) => `/webhooks/${idOf(c)}`;

async function renderList(
  c: PageContext,
  { values = EMPTY_VALUES, error }: { values?: WebhookFormValues; error?: FormError } = {},
): Promise<Response> {
  const ctx = contextOf(c);
  const [webhooks, log] = await Promise.all([listWebhooks(ctx), getEventLog(ctx)]);
  return renderPage(
    c,
    <WebhookListPage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={ctx.clock.now()}
      webhooks={webhooks}
      limit={ctx.actor.limits.webhooks}
      isLogOn={log.isSwitchedOn}
      baseUrl={ctx.config.baseUrl}
      values={values}
      error={error}
      done={c.req.query("done")}
    />,
    error === undefined ? 200 : 400,
  );
}

/** The result of a form, which the page shows. */
interface Outcome {
  readonly values?: WebhookFormValues;
  readonly error?: FormError;
  readonly actionError?: FormError;
  readonly tested?: DeliveryTry;
  readonly rotatedSecret?: string;
}

/**
 * Renders the page of a webhook in its current state. Another user's webhook gets the 404 page, like an unknown one.
 */
async function renderWebhook(c: PageContext, outcome: Outcome = {}): Promise<Response> {
  const ctx = contextOf(c);
  const id = idOf(c);
  const before = c.req.query("before");
  const status = DELIVERY_STATUSES.find((known) => known === c.req.query("status"));
  const [webhook, deliveries] = await Promise.all([
    getWebhook(ctx, { id }),
    listDeliveries(ctx, { id, status, before, limit: DELIVERIES_PER_PAGE }),
  ]);
  const now = ctx.clock.now();
  const done = c.req.query("done");
  return renderPage(
    c,
    <WebhookPage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={now}
      webhook={webhook}
      deliveries={deliveries}
      filter={status ?? null}
      isFirstPage={before === undefined}
      values={outcome.values ?? valuesOf(webhook)}
      replayTime={timeFields(now - DAY, displayOf(c).timeZone)}
      error={outcome.error}
      actionError={outcome.actionError}
      tested={outcome.tested}
      rotatedSecret={outcome.rotatedSecret}
      done={done}
      replayed={done === "replayed" ? Number(c.req.query("count")) || 0 : undefined}
    />,
    outcome.error === undefined && outcome.actionError === undefined ? 200 : 400,
  );
}

/** Requires the same recent sign-in as a new API key, before a secret is shown or events get a new receiver. */
function requireIdentity(c: PageContext, form: { text(name: string): string }): Promise<void> {
  return requireRecentAuthentication(c.var.services, c.var.signedIn, { password: form.text(CURRENT_PASSWORD) });
}

/** The types as the form sent them. The cast is unchecked, because the use case validates the types. */
const typesOf = (values: WebhookFormValues) => requestedTypes(values) as WebhookTypes;

/** Handles `POST /webhooks`. Only this response contains the new webhook's secret. */
async function doCreate(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const values = readWebhookForm(form);
  const { url, description } = values;
  const created = await runUseCase(async () => {
    await requireIdentity(c, form);
    return createWebhook(contextOf(c), { url, description, types: typesOf(values) });
  });
  return created.ok
    ? renderPage(
        c,
        <CreatedPage signedIn={c.var.signedIn} webhook={created.value.webhook} secret={created.value.secret} />,
      )
    : renderList(c, { values, error: created.error });
}

async function doSetEventLog(c: PageContext): Promise<Response> {
  const log = (await readForm(c)).text("log") === "on" ? "on" : "off";
  await setEventLog(contextOf(c), { isSwitchedOn: log === "on" });
  return c.redirect(`/webhooks?done=log-${log}`, 303);
}

async function doUpdate(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const values = readWebhookForm(form);
  const { url, description } = values;
  const saved = await runUseCase(async () => {
    await requireIdentity(c, form);
    await updateWebhook(contextOf(c), { id: idOf(c), url, description, types: typesOf(values) });
  });
  return saved.ok ? c.redirect(`${pathOf(c)}?done=saved`, 303) : renderWebhook(c, { values, error: saved.error });
}

/** Runs the use case of a button. A refusal becomes a sentence on the page of the webhook. */
async function act(c: PageContext, done: string, useCase: () => Promise<unknown>): Promise<Response> {
  const outcome = await runUseCase(useCase);
  return outcome.ok ? c.redirect(`${pathOf(c)}?done=${done}`, 303) : renderWebhook(c, { actionError: outcome.error });
}

function doDisable(c: PageContext): Promise<Response> {
  return act(c, "off", () => updateWebhook(contextOf(c), { id: idOf(c), enabled: false }));
}

async function doEnable(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const missed = form.text("missed") === "skip" ? "skip" : "send";
  return act(c, "on", async () => {
    await requireIdentity(c, form);
    await updateWebhook(contextOf(c), { id: idOf(c), enabled: true, missed });
  });
}

/** Handles `POST /webhooks/:id/test`. It waits for the receiver's response, so that the page can show it. */
async function doTest(c: PageContext): Promise<Response> {
  const tested = await sendTest(contextOf(c), {
    id: idOf(c),
    toBody: (event) => JSON.stringify(presentTestEvent(event)),
  });
  return renderWebhook(c, { tested });
}

/** Handles `POST /webhooks/:id/rotate`. Only this response contains the new secret. */
async function doRotate(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const rotated = await runUseCase(async () => {
    await requireIdentity(c, form);
    return rotateSecret(contextOf(c), { id: idOf(c) });
  });
  return renderWebhook(c, rotated.ok ? { rotatedSecret: rotated.value.secret } : { actionError: rotated.error });
}

async function doDelete(c: PageContext): Promise<Response> {
  await deleteWebhook(contextOf(c), { id: idOf(c) });
  return c.redirect("/webhooks?done=deleted", 303);
}

/**
 * Handles `POST /webhooks/:id/replay`. A time that the clock shows twice means the earlier one, so that no event is
 * left out.
 */
async function doReplay(c: PageContext): Promise<Response> {
  const form = await readForm(c);
  const { instant, problems } = readTime(
    { date: form.text("date"), time: form.text("time"), fold: "earlier" },
    displayOf(c),
  );
  if (instant === null) {
    return renderWebhook(c, { actionError: { message: problems[0]?.message ?? "choose a time" } });
  }
  const since = Math.max(instant, c.var.services.clock.now() - EVENT_RETENTION_DAYS * DAY);
  const replayed = await runUseCase(() => replayEvents(contextOf(c), { id: idOf(c), start: { since } }));
  return replayed.ok
    ? c.redirect(`${pathOf(c)}?done=replayed&count=${replayed.value.queued}`, 303)
    : renderWebhook(c, { actionError: replayed.error });
}

const deliveryOf = (c: PageContext) => ({ id: idOf(c), deliveryId: c.req.param("delivery") ?? "" });

async function showDelivery(c: PageContext): Promise<Response> {
  const ctx = contextOf(c);
  const [webhook, delivery] = await Promise.all([getWebhook(ctx, { id: idOf(c) }), getDelivery(ctx, deliveryOf(c))]);
  return renderPage(
    c,
    <DeliveryPage
      signedIn={c.var.signedIn}
      display={displayOf(c)}
      now={ctx.clock.now()}
      webhook={webhook}
      delivery={delivery}
      done={c.req.query("done")}
    />,
  );
}

async function doResend(c: PageContext): Promise<Response> {
  const { deliveryId } = deliveryOf(c);
  await resendDelivery(contextOf(c), deliveryOf(c));
  return c.redirect(`${pathOf(c)}/deliveries/${deliveryId}?done=resent`, 303);
}

export const webhookPages = new Hono<PageEnv>()
  .get("/", (c) => renderList(c))
  .post("/", doCreate)
  .post("/event-log", doSetEventLog)
  .get(WEBHOOK, (c) => renderWebhook(c))
  .post(WEBHOOK, doUpdate)
  .post(`${WEBHOOK}/disable`, doDisable)
  .post(`${WEBHOOK}/enable`, doEnable)
  .post(`${WEBHOOK}/test`, doTest)
  .post(`${WEBHOOK}/rotate`, doRotate)
  .post(`${WEBHOOK}/delete`, doDelete)
  .post(`${WEBHOOK}/replay`, doReplay)
  .get(`${WEBHOOK}/deliveries/:delivery`, showDelivery)
  .post(`${WEBHOOK}/deliveries/:delivery/resend`, doResend);
