import { expect, it } from 'vitest'
import { closeAllToasts, toastStore } from '#web/ui/toast.tsx'
import { announceUndoable, describeUndo } from './undo-change.ts'

it('names the people an undo skipped', () => {
  expect(describeUndo({ restored: 2, changed: [] })).toEqual({
    kind: 'success',
    title: 'Alteração desfeita',
    description: '2 usuários voltaram ao que tinham antes.',
  })
  expect(describeUndo({ restored: 1, changed: ['a@x'] })).toEqual({
    kind: 'warning',
    title: 'Alteração desfeita em parte',
    description: '1 usuário voltou ao que tinha antes. a@x foi alterado depois e ficou como está.',
  })
  expect(describeUndo({ restored: 7, changed: ['a@x', 'b@x', 'c@x', 'd@x'] }).description).toBe(
    '7 usuários voltaram ao que tinham antes. a@x, b@x, c@x e mais 1 foram alterados depois e ficaram como estão.',
  )
})

it('offers no undo when the reply arrives too late', () => {
  const notice = { kind: 'success', title: 'Feito', description: '1 mudou.' } as const
  announceUndoable(notice, { undoId: 'a', undoSeconds: 0 })
  const [shown] = toastStore.read()
  expect(shown?.description).toBe('1 mudou. Ainda dá para desfazer na Auditoria, por 24 horas.')
  expect(shown?.action).toBeUndefined()
  closeAllToasts()
})
