import type { FC } from "hono/jsx";
import { type FormProblem, sentence } from "./parts.tsx";

/** Every zone the runtime knows, by continent; `UTC` is not among the ones it lists. */
function zonesByContinent(): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const continent = zone.includes("/") ? zone.slice(0, zone.indexOf("/")) : "Other";
    groups.set(continent, [...(groups.get(continent) ?? []), zone]);
  }
  return groups;
}

export const TimeZoneField: FC<{ value: string; hint: string; guess?: boolean; problem?: FormProblem | undefined }> = (
  props,
) => {
  const mine = props.problem?.param === "time_zone" ? props.problem : undefined;
  return (
    <div class="field">
      <label for="time_zone">Time zone</label>
      <select
        id="time_zone"
        name="time_zone"
        aria-describedby="time_zone-hint"
        data-guess-zone={props.guess === true ? "" : undefined}
      >
        <option value="UTC" selected={props.value === "UTC"}>
          UTC
        </option>
        {[...zonesByContinent()].map(([continent, zones]) => (
          <optgroup label={continent}>
            {zones
              .filter((zone) => zone !== "UTC")
              .map((zone) => (
                <option value={zone} selected={zone === props.value}>
                  {zone.slice(zone.indexOf("/") + 1).replaceAll("_", " ").replaceAll("/", ", ")}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      <p class="hint" id="time_zone-hint">
        {props.hint}
      </p>
      {mine && (
        <p class="wrong" role="alert">
          {sentence(mine.message)}
        </p>
      )}
    </div>
  );
};
