import type { FC } from "hono/jsx";
import type { SignedInUser } from "#auth/index.ts";
import { DateTime, Field, FormErrorNotice, Notice } from "#dashboard/layout/components.tsx";
import type { FormError } from "#dashboard/request/form.ts";
import { DashboardLayout } from "#dashboard/layout/layout.tsx";
import { TimeZoneField } from "#dashboard/layout/time-zone-field.tsx";
import type { NextSlots, ScheduleSlots } from "#planning/index.ts";
import { slotKey } from "./slot-form.ts";

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const DONE_MESSAGES: Readonly<Record<string, string>> = {
  added: "The slot was added.",
  removed: "The slot was removed. Posts in it stay where they are.",
  "time-zone": "The time zone of the slots was changed. Posts stay where they are.",
};

const SlotsOfDay: FC<{ name: string; slots: ScheduleSlots["slots"] }> = ({ name, slots }) => (
  <li class="item">
    <div class="item-header">
      <h3>{name}</h3>
    </div>
    <ul class="items">
      {slots.map((slot) => (
        <li class="item-actions">
          <span>{slot.time}</span>
          <form method="post" action="/dashboard/slots/remove">
            <input type="hidden" name="slot" value={slotKey(slot)} />
            <button class="secondary" aria-label={`Remove ${name}, ${slot.time}`}>
              Remove
            </button>
          </form>
        </li>
      ))}
    </ul>
  </li>
);

const AddSlot: FC<{ error: FormError | undefined }> = ({ error }) => (
  <section class="card" aria-labelledby="new-slot">
    <h2 id="new-slot">New slot</h2>
    <form method="post" action="/dashboard/slots">
      <div class="field">
        <label for="weekday">Day</label>
        <select id="weekday" name="weekday">
          <option value="every">Every day</option>
          {WEEKDAYS.map((name, weekday) => (
            <option value={String(weekday)}>{name}</option>
          ))}
        </select>
      </div>
      <Field name="time" label="Time" type="time" required error={error} />
      <button>Add slot</button>
    </form>
  </section>
);

/** Lists the slots of the active workspace by weekday, and the next free ones. */
export const SlotsPage: FC<{
  signedIn: SignedInUser;
  found: NextSlots;
  done: string | undefined;
  error?: FormError | undefined;
}> = ({ signedIn, found: { timeZone, slots, next }, done, error }) => {
  const days = WEEKDAYS.map((name, weekday) => ({ name, slots: slots.filter((slot) => slot.weekday === weekday) }));
  return (
    <DashboardLayout
      title="Slots"
      section="slots"
      signedIn={signedIn}
      lead="The times of the week at which this workspace likes to post. A slot publishes nothing by itself: a post takes it."
    >
      {done !== undefined && DONE_MESSAGES[done] !== undefined && <Notice kind="success">{DONE_MESSAGES[done]}</Notice>}
      <FormErrorNotice error={error} fields={["time", "time_zone"]} />
      <div class="two-columns">
        <section aria-labelledby="slots">
          <h2 id="slots">Your slots</h2>
          {slots.length === 0 ? (
            <p>There are none yet.</p>
          ) : (
            <ul class="items">
              {days
                .filter((day) => day.slots.length > 0)
                .map((day) => (
                  <SlotsOfDay {...day} />
                ))}
            </ul>
          )}
          {next.length > 0 && (
            <>
              <h2>Free next</h2>
              <ul>
                {next.map((at) => (
                  <li>
                    <DateTime value={at} timeZone={timeZone} />
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
        <div>
          <AddSlot error={error} />
          <section class="card" aria-labelledby="slot-zone">
            <h2 id="slot-zone">Time zone of the slots</h2>
            <form method="post" action="/dashboard/slots/time-zone">
              <TimeZoneField value={timeZone} hint="All slots are times on the clock of this zone." error={error} />
              <button>Save time zone</button>
            </form>
          </section>
        </div>
      </div>
    </DashboardLayout>
  );
};
