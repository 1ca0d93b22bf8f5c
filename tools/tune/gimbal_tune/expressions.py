# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constraints and features: arithmetic and comparisons over parameters, and nothing else that Python could do."""
from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from typing import Any

from gimbal_campaign.errors import CampaignError, did_you_mean

from .values import number_of

BINARY: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.In: lambda one, many: one in many, ast.NotIn: lambda one, many: one not in many}
UNARY: dict[type, Callable[[Any], Any]] = {ast.USub: operator.neg, ast.Not: operator.not_}
FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs}
ALLOWED = "allowed: parameters, numbers, 'words', + - * / // %, < <= > >= == != in, and or not, min max abs"


def shown(values: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in values.items())


class Expression:
    """One constraint or feature, parsed and checked once."""

    def __init__(self, text: str, names: Collection[str], kind: str = "constraint") -> None:
        """kind: what messages call it. Raises CampaignError if it is no such expression or names a parameter that there
        is not."""
        self.text, self.kind = text, kind
        try:
            self.tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise CampaignError(f'{kind} "{text}": this is no expression', ALLOWED) from None
        self.check(self.tree, names)

    def check(self, node: ast.AST, names: Collection[str]) -> None:
        known = isinstance(node, (ast.BoolOp, ast.Tuple, ast.List, ast.IfExp)) \
            or isinstance(node, ast.Constant) and isinstance(node.value, (int, float, str)) \
            or isinstance(node, ast.BinOp) and type(node.op) in BINARY \
            or isinstance(node, ast.UnaryOp) and type(node.op) in UNARY \
            or isinstance(node, ast.Compare) and all(type(one) in COMPARE for one in node.ops) \
            or isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS \
            and not node.keywords
        if isinstance(node, ast.Name):
            if node.id not in names:
                raise CampaignError(f'{self.kind} "{self.text}": there is no parameter "{node.id}".'
                                    f"{did_you_mean(node.id, names)}", f"there are: {' '.join(names)}")
        elif not known:
            raise CampaignError(f'{self.kind} "{self.text}": what it says is not understood', ALLOWED)
        for child in (node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)):
            if isinstance(child, ast.expr):
                self.check(child, names)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Raises CampaignError if it cannot be computed for these values: words that are added, a division by 0."""
        return bool(self.computed(values))

    def number(self, values: Mapping[str, Any]) -> float:
        """Raises CampaignError if it is no finite number for these values."""
        found = self.computed(values)
        if not isinstance(found, (bool, int, float)) or not math.isfinite(found):
            raise CampaignError(f'{self.kind} "{self.text}": {found!r} is no number, for {shown(values)}')
        return float(found)

    def computed(self, values: Mapping[str, Any]) -> Any:
        try:
            return self.value(self.tree, values)
        except (TypeError, ArithmeticError, ValueError) as error:
            raise CampaignError(f'{self.kind} "{self.text}": {error}, for {shown(values)}') from None

    def value(self, node: ast.AST, values: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant():
                return node.value
            case ast.Name():
                value = values[node.id]
                return value if (number := number_of(value)) is None else number
            case ast.Tuple() | ast.List():
                return [self.value(one, values) for one in node.elts]
            case ast.BinOp():
                sides = [self.value(one, values) for one in (node.left, node.right)]
                if odd := [side for side in sides if not isinstance(side, (int, float))]:
                    raise TypeError(f"{odd[0]!r} is no number")
                return BINARY[type(node.op)](*sides)
            case ast.UnaryOp():
                return UNARY[type(node.op)](self.value(node.operand, values))
            case ast.BoolOp(op=ast.And()):
                return all(self.value(one, values) for one in node.values)
            case ast.BoolOp():
                return any(self.value(one, values) for one in node.values)
            case ast.IfExp():
                return self.value(node.body if self.value(node.test, values) else node.orelse, values)
            case ast.Call():
                return FUNCTIONS[node.func.id](*(self.value(one, values) for one in node.args))
            case ast.Compare():
                sides = [self.value(one, values) for one in (node.left, *node.comparators)]
                return all(COMPARE[type(how)](one, other) for how, one, other in zip(node.ops, sides, sides[1:]))
        raise TypeError("not an expression")
