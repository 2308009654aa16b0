import { expect, it } from 'vitest'
import { describeChosen, describeEmptied, describeNotes, MAX_NOTED, noteChanges } from './change-notes.ts'

const HELD = { types: ['CRM'], marcas: ['VW'], estados: ['RJ'] }

it('names whom a change leaves without a list, and nobody who had nothing of it before', () => {
  const names = Array.from({ length: MAX_NOTED + 2 }, (_, index) => `N${index}`)
  const notes = noteChanges([
    { names: ['Ana'], before: HELD, after: { ...HELD, types: [], estados: [] } },
    { names: ['Bia'], before: { types: [] }, after: { types: [] } },
    { names: ['Caio'], before: HELD, after: { marcas: ['FIAT'] } },
    { names, before: { marcas: ['VW'] }, after: { marcas: [] } },
  ])
  expect(describeEmptied(notes)).toEqual([
    'Fica sem relatório e estado: Ana.',
    'Ficam sem marca: N0, N1, N2, N3, N4, N5, N6, N7, N8, N9 e mais 2.',
  ])
  expect(describeEmptied(notes, true)[0]).toBe('Ficou sem relatório e estado: Ana.')
})

it('names who begins without a list, and who keeps only areas without a report', () => {
  expect(noteChanges([{ names: ['Ana'], after: { ...HELD, marcas: [] } }]).emptied).toEqual([
    { lists: ['marcas'], count: 1, names: ['Ana'] },
  ])
  const change = { names: ['Bia'], before: { types: ['CRM', 'Slack'] }, after: { types: ['Slack'] } }
  expect(noteChanges([change]).emptied).toEqual([])
  expect(noteChanges([change], (area) => area === 'CRM').emptied).toHaveLength(1)
})

it('says whom among the chosen one may not mean', () => {
  const nobody = noteChanges([])
  expect(describeChosen(nobody)).toBe('')
  expect(describeChosen({ ...nobody, includesSelf: true, admins: 2, unapproved: 1 })).toBe(
    'Inclui a sua própria conta, 2 administradores e 1 pessoa sem aprovação.',
  )
  expect(describeNotes({ ...nobody, admins: 1, unapproved: 1200 })).toBe(
    'Inclui 1 administrador e 1.200 pessoas sem aprovação.',
  )
  expect(describeNotes(undefined)).toBe('')
})
