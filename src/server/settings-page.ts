import { REQUIRED } from './config.ts'
import { describeSetting, SETTING_GROUPS, SETTING_NAMES } from './settings.ts'

const INTRODUCTION = `# Settings

Written from the settings themselves by \`npm run settings\`; a test fails while it is not up to date.

Everything is read from the environment, once, at the start. Each setting can also be given as \`NAME_FILE\`, the path of a file that holds
the value, which comes before \`NAME\`; secrets belong there (marked 🔑). An empty one is one that is not set. What real people need is
**required** where \`NODE_ENV=production\`, and one of \`POWERBI_CLIENT_SECRET\` and \`POWERBI_CLIENT_CERTIFICATE\`. In the user and the password
of a URL, \`@ : / ? # %\` are written as \`%40 %3A %2F %3F %23 %25\`. A setting that is wrong, missing
or dangerous stops the start with a line for each; a name that the portal does not read and that looks like one of these, and what is
allowed but hardly meant, is warned of in a line. Values are never printed. \`npm run doctor\` tells what is set, where it
comes from and whether it works.

Not the portal's own, and read by Node: \`HTTPS_PROXY\`, \`HTTP_PROXY\`, \`NO_PROXY\` and \`NODE_EXTRA_CA_CERTS\` ([deployment.md](deployment.md#settings)).
`

export function writeSettingsPage(): string {
  const groups = Object.entries(SETTING_GROUPS).map(([title, group]) => {
    const rows = SETTING_NAMES.filter((name) => name in group).map(cellsOf)
    return `## ${title}\n\n${writeTable([['Name', 'Default', 'What it is'], ...rows])}\n`
  })
  return [INTRODUCTION, ...groups].join('\n')
}

function cellsOf(name: (typeof SETTING_NAMES)[number]): string[] {
  const { what, shownDefault, isSecret, default: plain } = describeSetting(name)
  const required = (REQUIRED as readonly string[]).includes(name) ? ['**required**'] : []
  const otherwise = shownDefault ?? (plain === undefined ? undefined : `\`${plain}\``)
  const shown = [...required, ...(otherwise ? [otherwise] : [])].join('; ') || '–'
  return [`\`${name}\`${isSecret ? ' 🔑' : ''}`, shown, what]
}

/** Aligned, as the formatter of the documents leaves it; the key is two columns wide, and two units long. */
function writeTable([head = [], ...rows]: string[][]): string {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((cells) => (cells[column] as string).length)),
  )
  const line = (cells: string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number, fill)).join(' | ')} |`
  return [
    line(head),
    line(
      head.map(() => ''),
      '-',
    ),
    ...rows.map((row) => line(row)),
  ].join('\n')
}
