import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

/** @param {string} text @param {RegExp} pattern @returns {string[][]} the groups of each match */
const findAll = (text, pattern) => [...text.matchAll(pattern)].map(([, ...groups]) => groups)

/** @param {string} name of a project */
function readModel(name) {
  const folder = `docs/power-bi-model/${name}.SemanticModel/definition`
  /** @param {string} file */
  const read = (file) => readFileSync(`${folder}/${file}.tmdl`, 'utf8')
  const names = readdirSync(`${folder}/tables`).map((file) => file.replace('.tmdl', ''))
  const tables = names.map((table) => ({ table, text: read(`tables/${table}`) }))
  const [relationships, role, model] = [read('relationships'), read('roles/Portal'), read('model')]
  return { names, tables, relationships, role, model }
}

describe.each(['Patio', 'PatioPorPessoa'])('the sample model %s', (name) => {
  const { names, tables, relationships, role, model } = readModel(name)
  const ends = findAll(relationships, /\tfromColumn: (\S+)\n\ttoColumn: (\S+)$/gm)
  const both = findAll(relationships, /security.+: both.+\n\tfromColumn: (\w+).+\n\ttoColumn: (\w+)/g)
  const oneToMany = ends.map((pair) => pair.map((column) => column.split('.')[0] ?? ''))
  const ruled = findAll(role, /^\ttablePermission (\w+) =/gm).flat()

  test('names only tables and columns that exist', () => {
    const columns = tables.flatMap(({ table, text }) =>
      findAll(text, /^\tcolumn (\w+)$/gm).map(([column]) => `${table}.${column}`),
    )
    const inRules = findAll(role, /(\w+)\[(\w+)\]/g).map((pair) => pair.join('.'))
    expect(ends).toHaveLength(findAll(relationships, /^(relationship) /gm).length)
    expect(columns).toEqual(expect.arrayContaining([...ends.flat(), ...inRules]))
    expect(new Set(findAll(model, /^ref table (\w+)$/gm).flat())).toEqual(new Set(names))
  })

  test('tags each table, column and measure uniquely, and indents by tabs', () => {
    const text = tables.map((table) => table.text).join('\n')
    const tags = findAll(text, /^\t+lineageTag: ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/gm).flat()
    expect(tags).toHaveLength(findAll(text, /^(table|\tcolumn|\tmeasure) /gm).length)
    expect(new Set(tags).size).toBe(tags.length)
    expect([text, relationships, role, model].join('\n')).not.toMatch(/^ /m)
  })

  test('filters every table, and personal data by a rule of its own', () => {
    const filtered = new Set(ruled)
    for (const [from = '', to = ''] of both) if (filtered.has(from)) filtered.add(to)
    for (const [from = '', to = ''] of oneToMany) if (filtered.has(to)) filtered.add(from)
    expect(filtered).toEqual(new Set(names))
    expect(ruled).toEqual(expect.arrayContaining(names.filter((table) => /^(Cliente|Acesso)/.test(table))))
  })

  test('has no rule where a relationship filters in both directions: the engine refuses it', () => {
    expect(both.flatMap(([, to = '']) => to).filter((table) => ruled.includes(table))).toEqual([])
  })
})

test('the sample models share the tables of the first', () => {
  expect(readModel('PatioPorPessoa').tables).toEqual(expect.arrayContaining(readModel('Patio').tables))
})
