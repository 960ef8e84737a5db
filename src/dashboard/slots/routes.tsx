import { Hono } from "hono";
import { contextOf } from "#dashboard/request/context-of.ts";
import type { PageContext, PageEnv } from "#dashboard/request/env.ts";
import { type FormError, readForm, runUseCase } from "#dashboard/request/form.ts";
import { renderPage } from "#dashboard/layout/render-page.tsx";
import { findNextSlots, getSlots, type ScheduleSlots, setSlots } from "#planning/index.ts";
import { withoutSlot, withSlot, zoneOf } from "./slot-form.ts";
import { SlotsPage } from "./slots-page.tsx";

const NEXT_SHOWN = 5;

async function renderSlotsPage(c: PageContext, error?: FormError): Promise<Response> {
  const found = await findNextSlots(contextOf(c), { count: NEXT_SHOWN });
  return renderPage(
    c,
    <SlotsPage signedIn={c.var.signedIn} found={found} done={c.req.query("done")} error={error} />,
    error ? 400 : 200,
  );
}

type Form = Awaited<ReturnType<typeof readForm>>;

/** Changes the stored slots as the form says. */
async function change(
  c: PageContext,
  done: string,
  changed: (slots: ScheduleSlots, form: Form) => ScheduleSlots,
): Promise<Response> {
  const form = await readForm(c);
  const ctx = contextOf(c);
  const outcome = await runUseCase(async () => setSlots(ctx, changed(await getSlots(ctx), form)));
  return outcome.ok ? c.redirect(`/dashboard/slots?done=${done}`, 303) : renderSlotsPage(c, outcome.error);
}

/** Serves `/dashboard/slots`, on which users set the weekly times at which they prefer to post. */
export const slotPages = new Hono<PageEnv>()
  .get("/", (c) => renderSlotsPage(c))
  .post("/", (c) =>
    change(c, "added", ({ timeZone, slots }, form) => ({
      timeZone,
      slots: withSlot(slots, form.text("weekday"), form.text("time")),
    })),
  )
  .post("/remove", (c) =>
    change(c, "removed", ({ timeZone, slots }, form) => ({ timeZone, slots: withoutSlot(slots, form.text("slot")) })),
  )
  .post("/time-zone", (c) =>
    change(c, "time-zone", ({ slots }, form) => ({ timeZone: zoneOf(form.text("time_zone")), slots })),
  );
