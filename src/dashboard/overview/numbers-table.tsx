import type { FC } from "hono/jsx";

/** The numbers of a plot as a table, for users who cannot see the plot or want exact numbers. */
export const NumbersTable: FC<{
  caption: string;
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}> = ({ caption, columns, rows }) => (
  <details class="numbers">
    <summary>Show the numbers</summary>
    <div class="numbers-scroll" tabindex={0} role="region" aria-label={caption}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col">{column}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([heading, ...values]) => (
            <tr>
              <th scope="row">{heading}</th>
              {values.map((value) => (
                <td>{value}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </details>
);
