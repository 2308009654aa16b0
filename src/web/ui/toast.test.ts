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

describe('toasts', () => {
  it('go by themselves, errors later', () => {
    showToast({ kind: 'success', title: 'ok' })
    showToast({ kind: 'error', title: 'erro' })
    vi.advanceTimersByTime(5_000)
    expect(titles()).toEqual(['erro'])
    vi.advanceTimersByTime(4_000)
    expect(titles()).toEqual([])
  })

  it('wait while paused and then have the rest of their time', () => {
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

  it('stand as long as they are told to, and without end until closed', () => {
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

  it('are not stacked when said again', () => {
    for (const title of ['a', 'b', 'a']) showToast({ kind: 'error', title })
    expect(titles()).toEqual(['b', 'a'])
  })

  it('are all taken away at once', () => {
    for (const title of ['a', 'b']) showToast({ kind: 'info', title })
    closeToasts()
    expect(titles()).toEqual([])
  })

  it('are never more than nine', () => {
    for (const title of 'abcdefghij') showToast({ kind: 'error', title })
    expect(titles()).toEqual([...'bcdefghij'])
  })

  it('stand on one card where the cause is one, and go together', () => {
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

  describe('that offer something', () => {
    const offer = (run: () => void, title = 'feito') =>
      showToast({ kind: 'success', title, lifetimeMs: 30_000, action: { label: 'Desfazer', run } })

    it('do it once and go', () => {
      const run = vi.fn()
      const id = offer(run)
      runToastAction(id)
      runToastAction(id)
      expect(run).toHaveBeenCalledTimes(1)
      expect(titles()).toEqual([])
    })

    it('end on time, pointed at or not', () => {
      offer(vi.fn())
      pauseToasts(true)
      offer(vi.fn(), 'depois')
      vi.advanceTimersByTime(29_000)
      expect(titles()).toEqual(['feito', 'depois'])
      vi.advanceTimersByTime(2_000)
      expect(titles()).toEqual([])
    })

    it('are taken back neither by a new attempt, nor by the same words, nor by many others', () => {
      offer(vi.fn())
      offer(vi.fn())
      closeToasts()
      for (const title of 'abcdefghi') showToast({ kind: 'error', title })
      expect(titles()).toEqual(['feito', 'feito', ...'cdefghi'])
    })
  })
})
