import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { IMAGE, OBJECT_GB, PRICES } from "./prices.ts";

/* Converts the counts of test/journeys/costs.json to dollars. A test holds that file exactly. */

const COUNTS = join(import.meta.dirname, "..", "..", "test", "journeys", "costs.json");

interface RequestCost {
  readonly trips: number;
  readonly statements: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly kvReads: number;
  readonly kvWrites: number;
  readonly r2Reads: number;
  readonly r2Writes: number;
  readonly objectCalls: number;
  readonly responseBytes: number;
}

interface PublishingCost {
  readonly trips: number;
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly alarms: number;
  readonly storageRows: number;
}

interface Costs {
  readonly requests: Readonly<Record<string, RequestCost>>;
  readonly publishing: Readonly<Record<string, PublishingCost>>;
  readonly awakeMs: number;
}

type Quantities = Readonly<Record<keyof typeof PRICES, number>>;

/** The quantities that a post takes from preview to published: two requests and the work of its object. */
function quantitiesOf({ requests, publishing, awakeMs }: Costs, targets: string): Quantities {
  const made = [requests[`preview, ${targets}`], requests[`confirm, ${targets}`]].flatMap((cost) => cost ?? []);
  const published = publishing[targets];
  if (made.length !== 2 || published === undefined) {
    throw new Error(`costs.json does not know ${targets}`);
  }
  const hasImage = targets.endsWith("image");
  const sum = (name: keyof RequestCost): number => made.reduce((total, cost) => total + cost[name], 0);
  return {
    request: made.length,
    d1RowRead: sum("rowsRead") + published.rowsRead,
    d1RowWritten: sum("rowsWritten") + published.rowsWritten,
    kvRead: sum("kvReads"),
    kvWrite: sum("kvWrites"),
    r2Read: sum("r2Reads") + (hasImage ? IMAGE.r2Reads : 0),
    r2Write: sum("r2Writes"),
    r2GbMonth: hasImage ? IMAGE.gbMonths : 0,
    objectRequest: sum("objectCalls") + published.alarms,
    objectRowWritten: published.storageRows,
    objectGbSecond: (awakeMs / 1000) * OBJECT_GB,
  };
}

const dollarsPerMillion = (name: keyof typeof PRICES, quantity: number): number =>
  (quantity * PRICES[name].dollars * 1e6) / PRICES[name].per;

/** Prints the counts of each request and of publishing, and the dollars of a million posts. */
export async function printCosts(file: string = COUNTS): Promise<void> {
  const costs = JSON.parse(await readFile(file, "utf8")) as Costs;
  console.table(costs.requests);
  console.table(costs.publishing);
  console.log(`an object with nothing to prepare is awake for ${costs.awakeMs} ms before its time on average`);
  for (const targets of Object.keys(costs.publishing)) {
    const quantities = Object.entries(quantitiesOf(costs, targets)) as [keyof typeof PRICES, number][];
    const total = quantities.reduce((sum, [name, quantity]) => sum + dollarsPerMillion(name, quantity), 0);
    console.log(`\na million posts, ${targets}: $${total.toFixed(2)}`);
    console.table(
      Object.fromEntries(
        quantities.map(([name, quantity]) => [
          name,
          { "per post": Number(quantity.toFixed(3)), dollars: Number(dollarsPerMillion(name, quantity).toFixed(3)) },
        ]),
      ),
    );
  }
}
