import type { FC } from "hono/jsx";
import { wallTimeAt } from "#core/wall-time.ts";
import { formatZone } from "#dashboard/wording/display.ts";
import type { ComposerView } from "./composer-view.ts";
import { describe, FieldProblems, Labelled } from "./fields.tsx";
import { describeReading, readTime } from "#dashboard/post-form/read-time.ts";

const READINGS = ["earlier", "later"] as const;

/**
 * The fields for day and time in the person's zone. If the clock shows the time twice that day, a further field chooses
 * one.
 */
export const TimeFields: FC<{ view: ComposerView }> = ({ view }) => {
  const { form, display, now } = view;
  const { instant, readings } = readTime(form, display);
  return (
    <fieldset class="card">
      <legend>When</legend>
      <div class="time-fields">
        <Labelled view={view} field="date" label="Day">
          <input
            id="date"
            type="date"
            name="date"
            value={form.date}
            min={wallTimeAt(display.timeZone, now).date}
            {...describe(view, "date")}
          />
        </Labelled>
        <Labelled view={view} field="time" label="Time">
          <input id="time" type="time" name="time" value={form.time} {...describe(view, "time")} />
        </Labelled>
      </div>
      <p class="hint">
        In {formatZone(display.timeZone, instant ?? now)}. <a href="/dashboard/profile">Change the zone</a>
      </p>
      <label class="checkbox">
        <input type="checkbox" name="slot" value="next" checked={form.slot === "next"} {...describe(view, "slot")} />
        <span>
          Use the next free slot after this day and time. Without a time, the search begins with the day.{" "}
          <a href="/dashboard/slots">Slots</a>
        </span>
      </label>
      <FieldProblems view={view} field="slot" />
      {readings.length > 1 && (
        <fieldset id="fold" {...describe(view, "fold")}>
          <legend>The clocks are moved back: which one?</legend>
          {readings.map((reading, index) => (
            <label class="checkbox">
              <input type="radio" name="fold" value={READINGS[index]} checked={form.fold === READINGS[index]} />
              <span>{describeReading(reading, index, display)}</span>
            </label>
          ))}
          <FieldProblems view={view} field="fold" />
        </fieldset>
      )}
    </fieldset>
  );
};
