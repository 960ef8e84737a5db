import type { FC } from "hono/jsx";
import type { FormError } from "#dashboard/request/form.ts";
import { toSentence } from "#dashboard/wording/sentence.ts";

/**
 * The time zones for the choice, by continent. The user's own zone is added, because it may be valid but not listed by
 * the runtime.
 */
function zonesByContinent(used: string): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  const zones = new Set([...Intl.supportedValuesOf("timeZone"), used]);
  zones.delete("UTC");
  for (const zone of zones) {
    const continent = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "Other";
    groups.set(continent, [...(groups.get(continent) ?? []), zone]);
  }
  return groups;
}

export const TimeZoneField: FC<{ value: string; hint: string; detect?: boolean; error?: FormError | undefined }> = (
  props,
) => {
  const fieldError = props.error?.param === "time_zone" ? props.error : undefined;
  return (
    <div class="field">
      <label for="time_zone">Time zone</label>
      <select
        id="time_zone"
        name="time_zone"
        aria-describedby="time_zone-hint"
        data-detect-time-zone={props.detect === true ? "" : undefined}
      >
        <option value="UTC" selected={props.value === "UTC"}>
          UTC
        </option>
        {[...zonesByContinent(props.value)].map(([continent, zones]) => (
          <optgroup label={continent}>
            {zones.map((zone) => (
              <option value={zone} selected={zone === props.value}>
                {zone
                  .slice(zone.indexOf("/") + 1)
                  .replaceAll("_", " ")
                  .replaceAll("/", ", ")}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p class="hint" id="time_zone-hint">
        {props.hint}
      </p>
      {fieldError && (
        <p class="field-error" role="alert">
          {toSentence(fieldError.message)}
        </p>
      )}
    </div>
  );
};
