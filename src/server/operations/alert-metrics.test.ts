import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { signIn } from '#server/testing/account-calls.ts'
import { addPerson, configureReports } from '#server/testing/builders.ts'
import { fetchToken } from '#server/testing/embed-token-calls.ts'
import { readMetrics, TEST_METRICS_TOKEN } from '#server/testing/read-metrics.ts'
import { setUpPortal } from '#server/testing/set-up-portal.ts'
import { describeOnEachDatabase } from '#server/testing/test-database.ts'

interface Panel {
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets: { expr: string }[]
}
const readDeployed = (name: string) => readFileSync(`deploy/${name}`, 'utf8')
const dashboard: { panels: Panel[] } = JSON.parse(readDeployed('grafana-dashboard.json'))
/** Labels that Prometheus adds, or that come from other labels. */
const FOREIGN_LABELS = ['job', 'instance']

/** Finds the metrics of an expression with the labels that it asks about. */
function findMetrics(expr: string): { name: string; labels: string[] }[] {
  const grouped = [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  )
  return [...expr.matchAll(/\b((?:patio|nodejs|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...[...matchers.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label), ...grouped],
    }),
  )
}

describeOnEachDatabase('alerts and dashboard', (kind) => {
  const portal = setUpPortal({ kind, rateLimits: false, metricsToken: TEST_METRICS_TOKEN })

  test('name only metrics and labels that the portal serves', async () => {
    await configureReports(portal, 'Vendas')
    const person = await addPerson(portal)
    await fetchToken(portal, person)
    await signIn(portal, person.email, 'not the password')
    await readMetrics(portal)
    const { lines, text } = await readMetrics(portal)
    const served = new Map<string, string[]>(
      [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => [name, []]),
    )
    for (const line of lines) {
      const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?/.exec(line) ?? []
      served.set(
        name,
        [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label),
      )
    }
    // The embedded database has no pool.
    if (kind === 'embedded') served.set('patio_database_connections', ['state'])
    const alerts = readDeployed('alerts.yaml').replace(
      /^ *(-|for:|labels:|severity:|summary:|description:).*$/gm,
      '',
    )
    const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    const named = [alerts.split('expr:'), panels].flat().flatMap(findMetrics)
    expect(named.length).toBeGreaterThan(20)
    for (const { name, labels } of named) {
      expect([...served.keys()], name).toContain(name)
      expect([...FOREIGN_LABELS, ...(served.get(name) ?? [])], name).toEqual(expect.arrayContaining(labels))
    }
  })
})

test('every metric of the portal is in an alert or on the dashboard', async () => {
  const named = JSON.stringify(dashboard) + readDeployed('alerts.yaml')
  const documented = readFileSync('docs/deployment.md', 'utf8').match(/(?<=`)patio_\w+/g) ?? []
  expect(documented.length).toBeGreaterThan(15)
  expect(documented.filter((name) => !named.includes(name))).toEqual([])
})

test('panels of the dashboard have a title and a target, and do not overlap', () => {
  const cells = dashboard.panels.flatMap(({ title, targets, gridPos: { x, y, w, h } }) => {
    expect(title && targets.length).toBeGreaterThan(0)
    expect(x + w).toBeLessThanOrEqual(24)
    return Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`)
  })
  expect(new Set(cells).size).toBe(cells.length)
})

test('every alert has a severity, a summary, and what to do', () => {
  const rules = readDeployed('alerts.yaml').split('- alert: ').slice(1)
  for (const rule of rules) expect(rule).toMatch(/severity: [\s\S]*summary: \S[\s\S]*description: \S/)
})
