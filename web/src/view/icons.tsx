// The icons of the page, all from Lucide with the deck's stroke.

import type { LucideProps } from "lucide-solid";
import ArrowLeft from "lucide-solid/icons/arrow-left";
import ArrowUp from "lucide-solid/icons/arrow-up";
import ArrowDown from "lucide-solid/icons/arrow-down";
import Ban from "lucide-solid/icons/ban";
import Braces from "lucide-solid/icons/braces";
import Brain from "lucide-solid/icons/brain";
import Check from "lucide-solid/icons/check";
import ChevronDown from "lucide-solid/icons/chevron-down";
import ChevronUp from "lucide-solid/icons/chevron-up";
import ChevronRight from "lucide-solid/icons/chevron-right";
import CircleCheck from "lucide-solid/icons/circle-check";
import Circle from "lucide-solid/icons/circle";
import CircleDashed from "lucide-solid/icons/circle-dashed";
import CircleX from "lucide-solid/icons/circle-x";
import Clock from "lucide-solid/icons/clock";
import Copy from "lucide-solid/icons/copy";
import Ellipsis from "lucide-solid/icons/ellipsis";
import Folder from "lucide-solid/icons/folder";
import FoldVertical from "lucide-solid/icons/fold-vertical";
import House from "lucide-solid/icons/house";
import RotateCcw from "lucide-solid/icons/rotate-ccw-clock";
import Info from "lucide-solid/icons/info";
import Key from "lucide-solid/icons/key-round";
import Monitor from "lucide-solid/icons/monitor";
import Phone from "lucide-solid/icons/smartphone";
import ListEnd from "lucide-solid/icons/list-end";
import ListTodo from "lucide-solid/icons/list-todo";
import MessagesSquare from "lucide-solid/icons/messages-square";
import PanelRight from "lucide-solid/icons/panel-right";
import Pencil from "lucide-solid/icons/pencil";
import Plus from "lucide-solid/icons/plus";
import Search from "lucide-solid/icons/search";
import Server from "lucide-solid/icons/server";
import Shield from "lucide-solid/icons/shield";
import Terminal from "lucide-solid/icons/terminal";
import TriangleAlert from "lucide-solid/icons/triangle-alert";
import Undo from "lucide-solid/icons/undo-2";
import Users from "lucide-solid/icons/users";
import WifiOff from "lucide-solid/icons/wifi-off";
import X from "lucide-solid/icons/x";
import { Dynamic } from "solid-js/web";

export const icons = {
  back: ArrowLeft, up: ArrowUp, down: ArrowDown, ban: Ban, braces: Braces, brain: Brain, check: Check,
  chevronDown: ChevronDown, chevronUp: ChevronUp, pencil: Pencil, chevronRight: ChevronRight, circleCheck: CircleCheck, circle: Circle,
  dashed: CircleDashed, circleX: CircleX, clock: Clock, copy: Copy, more: Ellipsis, compact: FoldVertical, folder: Folder,
  home: House, history: RotateCcw, info: Info, key: Key, monitor: Monitor, phone: Phone, queue: ListEnd, plan: ListTodo, threads: MessagesSquare,
  panel: PanelRight, plus: Plus, search: Search, server: Server, shield: Shield, terminal: Terminal,
  alert: TriangleAlert, undo: Undo, users: Users, off: WifiOff, x: X,
};

export function Icon(props: { name: keyof typeof icons; size?: number } & LucideProps) {
  return <Dynamic component={icons[props.name]} size={props.size ?? 17} strokeWidth={1.75} aria-hidden="true" class={props.class} />;
}

/** Vyre's own mark. The dot is amber only while something waits. */
export function Mark(props: { size: number; waits: boolean }) {
  return (
    <svg class="mark" width={props.size} height={props.size} viewBox="0 0 30 30" aria-hidden="true">
      <rect class="mark-tile" width="30" height="30" rx="8" />
      <path class="mark-line" d="M6.5 9.6h2.2c1.3 0 1.9.7 2.3 1.8l3.1 7.9c.3.8 1.3.8 1.6 0l3.1-7.9c.4-1.1 1-1.8 2.3-1.8h1" />
      <circle class="mark-dot" classList={{ on: props.waits }} cx="23.6" cy="9.6" r="2.6" />
    </svg>
  );
}
