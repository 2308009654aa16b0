import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  closeToast,
  closeToasts,
  groupByCause,
  pauseToasts,
  runToastAction,
  showToast,
  toastStore,
} from './toast.tsx'

const titles = () => toastStore.read().map(({ title }) => title)

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  pauseToasts(false)
  for (const { id } of toastStore.read()) closeToast(id)
  vi.useRealTimers()
})

describe('showToast', () => {
  it('closes toasts by itself, errors later', () => {
    showToast({ kind: 'success', title: 'ok' })
    showToast({ kind: 'error', title: 'erro' })
    vi.advanceTimersByTime(5_000)
    expect(titles()).toEqual(['erro'])
    vi.advanceTimersByTime(4_000)
    expect(titles()).toEqual([])
  })

  it('stops the timers while paused and resumes them with the remaining time', () => {
    showToast({ kind: 'success', title: 'ok' })
    vi.advanceTimersByTime(3_000)
    pauseToasts(true)
    vi.advanceTimersByTime(60_000)
    expect(titles()).toEqual(['ok'])
    pauseToasts(false)
    vi.advanceTimersByTime(1_900)
    expect(titles()).toEqual(['ok'])
    vi.advanceTimersByTime(200)
    expect(titles()).toEqual([])
  })

  it('keeps a toast for its lifetime, or until closed where that is infinite', () => {
    const id = showToast({ kind: 'error', title: 'sem fim', lifetimeMs: Number.POSITIVE_INFINITY })
    showToast({ kind: 'success', title: 'longo', lifetimeMs: 120_000 })
    vi.advanceTimersByTime(119_000)
    pauseToasts(true)
    pauseToasts(false)
    expect(titles()).toEqual(['sem fim', 'longo'])
    vi.advanceTimersByTime(24 * 3_600_000)
    expect(titles()).toEqual(['sem fim'])
    closeToast(id)
    expect(titles()).toEqual([])
  })

  it('replaces a toast of the same kind and title', () => {
    for (const title of ['a', 'b', 'a']) showToast({ kind: 'error', title })
    expect(titles()).toEqual(['b', 'a'])
  })

  it('closes all toasts with closeToasts', () => {
    for (const title of ['a', 'b']) showToast({ kind: 'info', title })
    closeToasts()
    expect(titles()).toEqual([])
  })

  it('shows at most nine toasts', () => {
    for (const title of 'abcdefghij') showToast({ kind: 'error', title })
    expect(titles()).toEqual([...'bcdefghij'])
  })

  it('groups toasts of one cause on a card and closes them together', () => {
    const fail = (title: string, description = `O Power BI recusou o relatório (pedido ${title}).`) =>
      showToast({ kind: 'error', title, description })
    fail('Vendas')
    fail('Excluir', 'Sem conexão com o portal.')
    vi.advanceTimersByTime(5_000)
    fail('Oficina')
    for (const title of ['Nome', 'E-mail']) showToast({ kind: 'error', title })
    const cards = [...groupByCause(toastStore.read()).values()]
    expect(cards.map((card) => card.map(({ title }) => title))).toEqual([
      ['Excluir'],
      ['Vendas', 'Oficina'],
      ['Nome'],
      ['E-mail'],
    ])
    vi.advanceTimersByTime(4_000)
    expect(titles()).toEqual(['Vendas', 'Oficina', 'Nome', 'E-mail'])
    vi.advanceTimersByTime(5_000)
    expect(titles()).toEqual([])
  })

  describe('with an action', () => {
    const offer = (run: () => void, title = 'feito') =>
      showToast({ kind: 'success', title, lifetimeMs: 30_000, action: { label: 'Desfazer', run } })

    it('runs the action once and closes', () => {
      const run = vi.fn()
      const id = offer(run)
      runToastAction(id)
      runToastAction(id)
      expect(run).toHaveBeenCalledTimes(1)
      expect(titles()).toEqual([])
    })

    it('closes on time, even while paused', () => {
      offer(vi.fn())
      pauseToasts(true)
      offer(vi.fn(), 'depois')
      vi.advanceTimersByTime(29_000)
      expect(titles()).toEqual(['feito', 'depois'])
      vi.advanceTimersByTime(2_000)
      expect(titles()).toEqual([])
    })

    it('stays longer, and while paused where the server sets no time', () => {
      showToast({ kind: 'success', title: 'visão', action: { label: 'Desfazer', run: vi.fn() } })
      vi.advanceTimersByTime(14_000)
      pauseToasts(true)
      vi.advanceTimersByTime(60_000)
      expect(titles()).toEqual(['visão'])
      pauseToasts(false)
      vi.advanceTimersByTime(1_100)
      expect(titles()).toEqual([])
    })

    it('survives closeToasts, an equal toast and the limit', () => {
      offer(vi.fn())
      offer(vi.fn())
      closeToasts()
      for (const title of 'abcdefghi') showToast({ kind: 'error', title })
      expect(titles()).toEqual(['feito', 'feito', ...'cdefghi'])
    })
  })
})
